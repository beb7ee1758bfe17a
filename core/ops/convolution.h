// The general forms of convolution: one function for all numbers of dimensions, transposed or not
// (weight as in core/ops/conv.h or conv_transpose.h), and its gradients; over time.
#pragma once

#include <array>
#include <string_view>

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   const Shape& stride, const Shape& padding, const Shape& dilation,
                   bool transposed, const Shape& output_padding, int64_t groups);
Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    const Shape& stride, const Shape& padding, const Shape& dilation,
                    bool transposed, const Shape& output_padding, int64_t groups, bool benchmark,
                    bool deterministic, bool cudnn_enabled, bool allow_tf32);
Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    const Shape& stride, const Shape& padding, const Shape& dilation,
                    bool transposed, const Shape& output_padding, int64_t groups, bool benchmark,
                    bool deterministic, bool cudnn_enabled);
Tensor _convolution_mode(const Tensor& input, const Tensor& weight,
                         const std::optional<Tensor>& bias, const Shape& stride,
                         std::string_view padding, const Shape& dilation, int64_t groups);

// Gradients of input, weight and bias, themselves differentiable; those that output_mask does not
// ask for are undefined.
std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight, OptionalShape bias_sizes,
    const Shape& stride, const Shape& padding, const Shape& dilation, bool transposed,
    const Shape& output_padding, int64_t groups, const std::array<bool, 3>& output_mask);

// [T, N, C] by weight [kernel, C, out] and bias [out] -> [T + 2 pad - kernel + 1, N, out]
Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t pad = 0);

// libtorch's names of CPU implementations.
Tensor thnn_conv2d(const Tensor& input, const Tensor& weight, const Shape& kernel_size,
                   const std::optional<Tensor>& bias = {}, const Shape& stride = 1,
                   const Shape& padding = 0);
Tensor slow_conv3d(const Tensor& input, const Tensor& weight, const Shape& kernel_size,
                   const std::optional<Tensor>& bias = {}, const Shape& stride = 1,
                   const Shape& padding = 0);

}  // namespace oneagent
