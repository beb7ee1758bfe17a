// Pooling of [N, C, spatial...] or [C, spatial...] to a given size: result i of an axis covers
// floor(i in / out) up to ceil((i + 1) in / out). Indices are int64 places in their plane.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor adaptive_avg_pool1d(const Tensor& input, const Shape& output_size);
Tensor adaptive_avg_pool2d(const Tensor& input, const Shape& output_size);
Tensor adaptive_avg_pool3d(const Tensor& input, const Shape& output_size);
Tensor _adaptive_avg_pool2d(const Tensor& input, const Shape& output_size);
Tensor _adaptive_avg_pool3d(const Tensor& input, const Shape& output_size);
Tensor _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& input);
Tensor _adaptive_avg_pool3d_backward(const Tensor& grad_output, const Tensor& input);

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input, const Shape& output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& input, const Shape& output_size);
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& input, const Shape& output_size);
Tensor adaptive_max_pool2d_backward(const Tensor& grad_output, const Tensor& input,
                                    const Tensor& indices);
Tensor adaptive_max_pool3d_backward(const Tensor& grad_output, const Tensor& input,
                                    const Tensor& indices);

}  // namespace oneagent
