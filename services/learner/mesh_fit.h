// Whether a mesh suits what is shared out over it.
#pragma once

#include <string>
#include <vector>

#include "services/learner/phase_mesh.h"

namespace oneagent {

// "" or one sentence: more data ranks than the phase's batch has rows, more tensor ranks than any
// of the parameters has in a dimension, or rows that the pipeline's schedule cannot be had with.
// Uneven shares are fine.
std::string misfit(const PhaseMesh& mesh, const Phase& phase, const TensorMap& batch,
                   const std::vector<Tensor>& parameters);

}  // namespace oneagent
