// Convolutions of [N, C, spatial...] or [C, spatial...].
#pragma once

#include "core/nn/options/conv.h"

namespace oneagent::nn::functional {

Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options = {});
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options = {});
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options = {});
Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose1dFuncOptions& options = {});
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose2dFuncOptions& options = {});
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose3dFuncOptions& options = {});

namespace detail {
// Calls `conv` with the padding as a list or as "valid", "same".
template <size_t D, class Conv>
Tensor with_padding(const nn::detail::conv_padding_t<D>& padding, Conv conv) {
  if (std::holds_alternative<enumtype::kValid>(padding)) return conv(std::string_view("valid"));
  if (std::holds_alternative<enumtype::kSame>(padding)) return conv(std::string_view("same"));
  return conv(Shape(*std::get<ExpandingArray<D>>(padding)));
}
}  // namespace detail

}  // namespace oneagent::nn::functional
