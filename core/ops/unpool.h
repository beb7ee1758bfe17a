// Puts the values of a max pooling back at their indices; the rest is 0. Of equal indices the last
// value wins. An index out of its plane is an Error.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const Shape& output_size);
// stride and padding (three values each) are checked only: output_size says what they would.
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const Shape& output_size,
                    const Shape& stride, const Shape& padding);

}  // namespace oneagent
