// Windows over one dimension.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// A view: the dimension counts windows of `size` elements, `step` apart; their elements are the new
// last dimension.
Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step);
// The gradient: elements of several windows add up.
Tensor unfold_backward(const Tensor& grad_in, const Shape& input_sizes, int64_t dim, int64_t size,
                       int64_t step);

}  // namespace oneagent
