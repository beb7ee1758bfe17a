// Max pooling to a given size over windows of one size whose places are drawn (Graham 2014,
// "Fractional Max-Pooling"): random_samples [N, C, 2 or 3] in [0, 1) fixes them. input is [N, C,
// spatial...] or [C, spatial...]; indices are int64 places in their plane.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& input, const Shape& kernel_size,
                                                 const Shape& output_size,
                                                 const Tensor& random_samples);
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& input, const Shape& kernel_size,
                                                 const Shape& output_size,
                                                 const Tensor& random_samples);
Tensor fractional_max_pool2d_backward(const Tensor& grad_output, const Tensor& input,
                                      const Shape& kernel_size, const Shape& output_size,
                                      const Tensor& indices);
Tensor fractional_max_pool3d_backward(const Tensor& grad_output, const Tensor& input,
                                      const Shape& kernel_size, const Shape& output_size,
                                      const Tensor& indices);

}  // namespace oneagent
