#include "core/ops/op_conv.h"

#include "core/ops/op_spatial.h"
#include "core/ops/pad.h"
#include "core/ops/reduce.h"

namespace oneagent {

ConvShape conv_shape(const Shape& x, const Shape& weight, const Shape& stride, const Shape& padding,
                     const Shape& dilation, int64_t groups) {
  const size_t dims = stride.size();
  if (x.size() == dims + 2 && weight.size() == dims + 2 && groups > 0)
    OA_REQUIRE(x[1] == weight[1] * groups, "Given groups=", groups, ", weight of size ", weight,
               ", expected input", x, " to have ", weight[1] * groups, " channels, but got ", x[1],
               " channels instead");
  OA_REQUIRE(
      x.size() == dims + 2 && weight.size() == dims + 2 && groups > 0 && weight[0] % groups == 0,
      "conv", dims, "d: expected x [n, c, ", dims, " spatial dimensions] and weight [out, ", "c / ",
      groups, ", kernel...] with out a multiple of ", groups, ", was ", x, " and ", weight);
  ConvShape out;
  out.images = x[0];
  out.channels = x[1];
  out.filters = weight[0];
  out.groups = groups;
  fill_three(Shape(std::span(x.data() + 2, dims)), 1, out.size);
  fill_three(Shape(std::span(weight.data() + 2, dims)), 1, out.kernel);
  fill_three(stride, 1, out.stride);
  fill_three(padding, 0, out.padding);
  fill_three(dilation, 1, out.dilation);
  for (int d = 0; d < 3; ++d) {
    OA_REQUIRE(out.padding[d] >= 0, "negative padding is not supported, was ", padding);
    OA_REQUIRE(out.stride[d] > 0, "non-positive stride is not supported, was ", stride);
    OA_REQUIRE(out.stride[d] > 0 && out.dilation[d] > 0 && out.padding[d] >= 0 && out.kernel[d] > 0,
               "conv", dims, "d: stride ", stride, ", dilation ", dilation, " and the kernel of ",
               weight, " must be positive and padding ", padding, " not negative");
    int64_t reach = 0, room = 0;
    const bool counts = !__builtin_mul_overflow(out.dilation[d], out.kernel[d] - 1, &reach) &&
                        !__builtin_mul_overflow(out.padding[d], 2, &room) &&
                        !__builtin_add_overflow(out.size[d], room, &room);
    OA_REQUIRE(counts, "conv", dims, "d: dilation ", dilation, " or padding ", padding,
               " is larger than can be counted");
    room -= reach + 1;
    OA_REQUIRE(room >= 0, "conv", dims, "d: the kernel of ", weight, " with dilation ", dilation,
               " does not fit into ", x, " with padding ", padding,
               ". Kernel size can't be greater than actual input size");
    out.out[d] = room / out.stride[d] + 1;
    if (out.out[d] == 1) out.stride[d] = std::min(out.stride[d], room + 1);  // any larger one
  }
  return out;
}

Tensor conv_backward_bias(const Tensor& grad_output) {
  const int64_t dims = grad_output.dim() - 2;
  Shape spatial;
  for (int64_t d = 0; d < dims; ++d) spatial.push_back(d + 2);
  return sum(sum(grad_output, spatial), Shape{0});
}

Tensor pad_ends(const Tensor& input, const Shape& counts) {
  Shape pad;
  bool any = false;
  for (size_t d = counts.size(); d-- > 0;) {
    pad.push_back(0);
    pad.push_back(counts[d]);
    any = any || counts[d] > 0;
  }
  return any ? constant_pad_nd(input, pad) : input;
}

std::string conv_rule(ConvRule rule, const Attrs& attrs) {
  const size_t dims = attrs.list(0).size();
  const std::string image = std::string("hwt").substr(0, dims),
                    result = std::string("yxz").substr(0, dims),
                    kernel = std::string("ijk").substr(0, dims);
  const bool one = attrs.integer(3) == 1;
  const std::string x = "nc" + image, y = "no" + result, w = (one ? "oc" : "od") + kernel;
  const std::string closed = ";" + image + kernel + result + (one ? "" : "cdo");
  switch (rule) {
    case ConvRule::kForward:
      return x + "," + w + ",o->" + y + closed;
    case ConvRule::kBackwardInput:
      return y + "," + w + "->" + x + closed;
    case ConvRule::kBackwardWeight:
      return y + "," + x + "->" + w + closed;
    case ConvRule::kTransposed:
      return y + "," + w + ",c->" + x + closed;
  }
  return "";
}

}  // namespace oneagent
