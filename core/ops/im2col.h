// Sliding windows of [N, C, H, W] or [C, H, W] as columns [N, C kernel_h kernel_w, windows]
// (unfold), and sums of columns as images (fold). Lists have one value or two.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor im2col(const Tensor& input, const Shape& kernel_size, const Shape& dilation,
              const Shape& padding, const Shape& stride);
// input [N, C kernel_h kernel_w, windows] or without N -> [N, C, output_size]
Tensor col2im(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
              const Shape& dilation, const Shape& padding, const Shape& stride);

}  // namespace oneagent
