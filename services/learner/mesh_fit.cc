#include "services/learner/mesh_fit.h"

#include <algorithm>

#include "core/base/text.h"

namespace oneagent {

std::string misfit(const PhaseMesh& mesh, const Phase& phase, const TensorMap& batch,
                   const std::vector<Tensor>& parameters) {
  const int64_t data = mesh.mesh.size(0), tensor = mesh.mesh.size(1), rows = longest_input(batch);
  int64_t longest = 0;
  for (const Tensor& parameter : parameters)
    for (const int64_t length : parameter.sizes()) longest = std::max(longest, length);
  if (data > rows)
    return str("[learner.parallel] data is ", data, ", but a batch of phase ", phase.name, " has ",
               rows, " rows; lower data, or raise [algorithm] minibatch");
  if (tensor > longest)
    return str("[learner.parallel] tensor is ", tensor,
               ", but no parameter has a dimension larger than ", longest, "; lower tensor");
  if (micro_batches_of(mesh, phase, batch) == 0) {
    const std::string has =
        phase.rows ? str("has ", phase.rows(batch), " rows or lanes") : "is taken whole";
    return str(
        "[learner.parallel] schedule interleaved takes equal micro-batches in multiples of "
        "pipeline = ",
        mesh.pipeline, ", but a batch of phase ", phase.name, " ", has,
        "; write schedule = \"1f1b\", or change [algorithm] minibatch");
  }
  return "";
}

}  // namespace oneagent
