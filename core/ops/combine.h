// Products and combinations of the elements of 1-d tensors.
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace oneagent {

// All tuples with one element of each tensor, a row each; of one tensor the tensor itself.
Tensor cartesian_prod(const std::vector<Tensor>& tensors);

// All r elements in the order of self, a row each; with_replacement an element may come again.
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

}  // namespace oneagent
