// Sorting without indices, which is faster and has no gradient.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor sort_values(const Tensor& x, int64_t dim);

}  // namespace oneagent
