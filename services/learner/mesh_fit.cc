#include "services/learner/mesh_fit.h"

#include <algorithm>

#include "core/base/text.h"

namespace oneagent {

std::string misfit(int64_t data, int64_t tensor, const std::string& phase, const TensorMap& batch,
                   const std::vector<Tensor>& parameters) {
  int64_t rows = 0, longest = 0;
  for (const auto& [name, values] : batch)
    if (values.dim() > 0) rows = std::max(rows, values.size(0));
  for (const Tensor& parameter : parameters)
    for (const int64_t length : parameter.sizes()) longest = std::max(longest, length);
  if (data > rows)
    return str("[learner.parallel] data is ", data, ", but a batch of phase ", phase, " has ", rows,
               " rows; lower data, or raise [algorithm] minibatch");
  if (tensor > longest)
    return str("[learner.parallel] tensor is ", tensor,
               ", but no parameter has a dimension larger than ", longest, "; lower tensor");
  return "";
}

}  // namespace oneagent
