// Averages over windows of [N, C, spatial...] or [C, spatial...]. Lists have one value or one for
// each spatial dimension; an empty stride is the kernel's size; padding is at most half the kernel.
// A sum is divided by the window's size, with the padding in it or not, or by divisor_override.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor avg_pool1d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, bool ceil_mode = false, bool count_include_pad = true);
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size, const Shape& stride = {},
                  const Shape& padding = 0, bool ceil_mode = false, bool count_include_pad = true,
                  std::optional<int64_t> divisor_override = std::nullopt);

Tensor avg_pool2d_backward(const Tensor& grad_output, const Tensor& input, const Shape& kernel_size,
                           const Shape& stride, const Shape& padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override);
Tensor avg_pool3d_backward(const Tensor& grad_output, const Tensor& input, const Shape& kernel_size,
                           const Shape& stride, const Shape& padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override);

}  // namespace oneagent
