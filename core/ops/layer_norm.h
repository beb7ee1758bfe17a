// Layer normalisation over the last dimensions: y = (x - mean) / sqrt(variance + eps) weight +
// bias, variance with divisor n. weight and bias have normalized_shape; statistics have size 1
// there.
#pragma once

#include <array>

#include "core/ops/api.h"

namespace oneagent {

Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                  const std::optional<Tensor>& weight = {}, const std::optional<Tensor>& bias = {},
                  double eps = 1e-05, bool cudnn_enable = true);

// (y, mean, rstd); gradients of the statistics count, too.
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                     const Shape& normalized_shape,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias, double eps);

// Gradients of input, weight and bias; those that output_mask does not ask for are undefined.
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Shape& normalized_shape, const Tensor& mean,
    const Tensor& rstd, const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
    const std::array<bool, 3>& output_mask);

}  // namespace oneagent
