// The largest value of each window of [N, C, spatial...] or [C, spatial...]; NaN wins, padding
// never does. Lists have one value or one for each spatial dimension; an empty stride is the
// kernel's size; padding is at most half the kernel. Indices are int64 places in their plane. The
// size of the result is (size + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded up
// with ceil_mode.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor max_pool1d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, const Shape& dilation = 1, bool ceil_mode = false);
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, const Shape& dilation = 1, bool ceil_mode = false);
Tensor max_pool3d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, const Shape& dilation = 1, bool ceil_mode = false);

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride = {},
                                                   const Shape& padding = 0,
                                                   const Shape& dilation = 1,
                                                   bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride = {},
                                                   const Shape& padding = 0,
                                                   const Shape& dilation = 1,
                                                   bool ceil_mode = false);
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride = {},
                                                   const Shape& padding = 0,
                                                   const Shape& dilation = 1,
                                                   bool ceil_mode = false);

Tensor max_pool2d_with_indices_backward(const Tensor& grad_output, const Tensor& input,
                                        const Shape& kernel_size, const Shape& stride,
                                        const Shape& padding, const Shape& dilation, bool ceil_mode,
                                        const Tensor& indices);
Tensor max_pool3d_with_indices_backward(const Tensor& grad_output, const Tensor& input,
                                        const Shape& kernel_size, const Shape& stride,
                                        const Shape& padding, const Shape& dilation, bool ceil_mode,
                                        const Tensor& indices);

}  // namespace oneagent
