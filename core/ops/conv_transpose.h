// Transposed convolutions of [N, C, spatial...] or [C, spatial...], the gradients of convolutions
// as functions of their own: weight is [C, out / groups, kernel...], bias [out] or absent; size' =
// (size
// - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1. output_padding is below
// stride or dilation.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias = {}, const Shape& stride = 1,
                        const Shape& padding = 0, const Shape& output_padding = 0,
                        int64_t groups = 1, const Shape& dilation = 1);
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias = {}, const Shape& stride = 1,
                        const Shape& padding = 0, const Shape& output_padding = 0,
                        int64_t groups = 1, const Shape& dilation = 1);
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias = {}, const Shape& stride = 1,
                        const Shape& padding = 0, const Shape& output_padding = 0,
                        int64_t groups = 1, const Shape& dilation = 1);

}  // namespace oneagent
