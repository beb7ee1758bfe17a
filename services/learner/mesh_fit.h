// Whether a mesh suits what is shared out over it.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace oneagent {

// "" or one sentence: more data ranks than the phase's batch has rows, or more tensor ranks than
// any of the parameters has in a dimension. Uneven shares are fine.
std::string misfit(int64_t data, int64_t tensor, const std::string& phase, const TensorMap& batch,
                   const std::vector<Tensor>& parameters);

}  // namespace oneagent
