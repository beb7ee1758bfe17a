// What the records of convolutions share.
#pragma once

#include "core/kernels/conv.h"
#include "core/ops/op.h"

namespace oneagent {

// The shape of a convolution of x [n, c, spatial...] by weight [out, c / groups, kernel...]; an
// Error when they do not fit. Lists have one value for each spatial dimension.
ConvShape conv_shape(const Shape& x, const Shape& weight, const Shape& stride, const Shape& padding,
                     const Shape& dilation, int64_t groups);

// The convolution without bias; lists are complete, x has a batch.
Tensor conv_forward(const Tensor& x, const Tensor& weight, const Shape& stride,
                    const Shape& padding, const Shape& dilation, int64_t groups);

// [n, out, spatial...] -> [out]
Tensor conv_backward_bias(const Tensor& grad_output);

// Zeros behind the end of each of the last dimensions.
Tensor pad_ends(const Tensor& input, const Shape& counts);

// Factors; attrs begin with (stride, padding, dilation, groups). With groups, channels and filters
// are tied to each other and stay whole.
enum class ConvRule { kForward, kBackwardInput, kBackwardWeight, kTransposed };
std::string conv_rule(ConvRule rule, const Attrs& attrs);
template <ConvRule R>
std::string conv_rule(Metas, const Attrs& attrs) {
  return conv_rule(R, attrs);
}

}  // namespace oneagent
