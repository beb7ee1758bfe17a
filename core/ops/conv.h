// Convolutions of [N, C, spatial...] or, without a batch, [C, spatial...]. weight is [out, C /
// groups, kernel...], bias [out] or absent; the result is [N, out, spatial'...] with size' = (size
// + 2 padding - dilation (kernel - 1) - 1) / stride + 1. Lists have one value or one for each
// spatial dimension. padding "valid" is 0; "same" keeps the sizes and needs stride 1.
#pragma once

#include <array>
#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

// One number for both directions, or {vertical, horizontal}.
struct Pair {
  int64_t h, w;
  Pair(int64_t both) : h(both), w(both) {}  // NOLINT: implicit like libtorch's ExpandingArray
  Pair(int64_t vertical, int64_t horizontal) : h(vertical), w(horizontal) {}
  operator Shape() const { return {h, w}; }  // NOLINT
};

Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const Shape& stride = 1, const Shape& padding = 0, const Shape& dilation = 1,
              int64_t groups = 1);
Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation = 1,
              int64_t groups = 1);
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const Shape& stride = 1, const Shape& padding = 0, const Shape& dilation = 1,
              int64_t groups = 1);
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation = 1,
              int64_t groups = 1);
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {},
              const Shape& stride = 1, const Shape& padding = 0, const Shape& dilation = 1,
              int64_t groups = 1);
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation = 1,
              int64_t groups = 1);

// The gradients of convn with respect to its operands, themselves differentiable. Lists are
// complete, images have a batch.
Tensor conv_backward_input(const Tensor& grad_output, const Tensor& weight, const Shape& sizes,
                           const Shape& stride, const Shape& padding, const Shape& dilation,
                           int64_t groups);
Tensor conv_backward_weight(const Tensor& grad_output, const Tensor& input, const Shape& sizes,
                            const Shape& stride, const Shape& padding, const Shape& dilation,
                            int64_t groups);

}  // namespace oneagent
