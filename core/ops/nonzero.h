// Places of the elements that are not zero, in row-major order.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// [count, rank] int64.
Tensor nonzero(const Tensor& self);
Tensor argwhere(const Tensor& self);
// One [count] tensor a dimension; a 0-d tensor counts as [1].
std::vector<Tensor> nonzero_numpy(const Tensor& self);

}  // namespace oneagent
