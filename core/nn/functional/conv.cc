#include "core/nn/functional/conv.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor conv1d(const Tensor& input, const Tensor& weight, const Conv1dFuncOptions& options) {
  return detail::with_padding<1>(options.padding(), [&](const auto& padding) {
    return oneagent::conv1d(input, weight, options.bias(), options.stride(), padding,
                            options.dilation(), options.groups());
  });
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const Conv2dFuncOptions& options) {
  return detail::with_padding<2>(options.padding(), [&](const auto& padding) {
    return oneagent::conv2d(input, weight, options.bias(), options.stride(), padding,
                            options.dilation(), options.groups());
  });
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const Conv3dFuncOptions& options) {
  return detail::with_padding<3>(options.padding(), [&](const auto& padding) {
    return oneagent::conv3d(input, weight, options.bias(), options.stride(), padding,
                            options.dilation(), options.groups());
  });
}

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose1dFuncOptions& options) {
  return oneagent::conv_transpose1d(input, weight, options.bias(), options.stride(),
                                    options.padding(), options.output_padding(), options.groups(),
                                    options.dilation());
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose2dFuncOptions& options) {
  return oneagent::conv_transpose2d(input, weight, options.bias(), options.stride(),
                                    options.padding(), options.output_padding(), options.groups(),
                                    options.dilation());
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const ConvTranspose3dFuncOptions& options) {
  return oneagent::conv_transpose3d(input, weight, options.bias(), options.stride(),
                                    options.padding(), options.output_padding(), options.groups(),
                                    options.dilation());
}

}  // namespace oneagent::nn::functional
