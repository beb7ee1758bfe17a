// 2-d convolution of NCHW arrays as matrix products over unfolded images (im2col), several small
// ones in one product. All arrays are contiguous. Every sum is taken in one order, gradients of
// weights over images in order, so that results depend neither on the number of threads nor on the
// batch around an image.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct ConvShape {
  int64_t images, channels, height, width;  // input
  int64_t filters, kernel_h, kernel_w;  // weight [filters, channels / groups, kernel_h, kernel_w]
  int64_t stride_h, stride_w, padding_h, padding_w, dilation_h, dilation_w, groups;
  int64_t out_h, out_w;
};

void run_conv2d(Stream& stream, const ConvShape& shape, const Tensor& out, const Tensor& x,
                const Tensor& weight, const Tensor& bias);
void run_conv2d_backward_input(Stream& stream, const ConvShape& shape, const Tensor& dx,
                               const Tensor& dy, const Tensor& weight);
void run_conv2d_backward_weight(Stream& stream, const ConvShape& shape, const Tensor& dw,
                                const Tensor& dy, const Tensor& x);

// Largest value of each window and its place in the plane (int64); padding never wins.
struct PoolShape {
  int64_t planes, height, width, kernel_h, kernel_w, stride_h, stride_w, padding_h, padding_w,
      out_h, out_w;
};
void run_max_pool2d(Stream& stream, const PoolShape& shape, const Tensor& out, const Tensor& index,
                    const Tensor& x);

}  // namespace oneagent
