// Sorting without indices, which is faster and has no gradient, and counting instead of sorting.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor sort_values(const Tensor& x, int64_t dim);

// How often each of low .. low + count - 1 comes in a 1-d tensor of integers, int64.
Tensor count_values(const Tensor& x, int64_t low, int64_t count);

}  // namespace oneagent
