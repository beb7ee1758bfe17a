// Convolutions of one to three spatial dimensions over [images, channels, depth, height, width],
// contiguous; fewer dimensions are sizes of 1 in front. Every sum is taken in one order, gradients
// of weights over images in order, so that results depend neither on the number of threads nor on
// the batch around an image.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct ConvShape {
  int64_t images, channels, filters, groups;  // weight [filters, channels / groups, kernel...]
  int64_t size[3], kernel[3], stride[3], padding[3], dilation[3], out[3];
};

// bias [filters] or undefined
void run_conv(Stream& stream, const ConvShape& shape, const Tensor& out, const Tensor& x,
              const Tensor& weight, const Tensor& bias);
// Also the transposed convolution: then bias is [channels].
void run_conv_backward_input(Stream& stream, const ConvShape& shape, const Tensor& dx,
                             const Tensor& dy, const Tensor& weight, const Tensor& bias = {});
void run_conv_backward_weight(Stream& stream, const ConvShape& shape, const Tensor& dw,
                              const Tensor& dy, const Tensor& x);

}  // namespace oneagent
