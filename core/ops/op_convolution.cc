#include "core/ops/conv.h"
#include "core/ops/conv_transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/op_conv.h"
#include "core/ops/op_spatial.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

size_t dims_of(const Tensor& weight) {
  OA_REQUIRE(weight.dim() >= 3 && weight.dim() <= 5,
             "convolution: expected a weight of 3 to 5 dimensions, was ", weight.sizes());
  return static_cast<size_t>(weight.dim()) - 2;
}

void check_kernel(const char* op, const Tensor& weight, const Shape& kernel_size, size_t dims) {
  const Shape kernel = spatial_list(op, "kernel_size", kernel_size, dims);
  OA_REQUIRE(static_cast<size_t>(weight.dim()) == dims + 2 &&
                 std::equal(kernel.begin(), kernel.end(), weight.sizes().begin() + 2),
             op, ": a weight of shape ", weight.sizes(), " has no kernel of ", kernel);
}

}  // namespace

Tensor convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                   const Shape& stride, const Shape& padding, const Shape& dilation,
                   bool transposed, const Shape& output_padding, int64_t groups) {
  const size_t dims = dims_of(weight);
  if (transposed) {
    const auto run = dims == 1 ? conv_transpose1d : dims == 2 ? conv_transpose2d : conv_transpose3d;
    return run(input, weight, bias, stride, padding, output_padding, groups, dilation);
  }
  if (dims == 1) return conv1d(input, weight, bias, stride, padding, dilation, groups);
  if (dims == 2) return conv2d(input, weight, bias, stride, padding, dilation, groups);
  return conv3d(input, weight, bias, stride, padding, dilation, groups);
}

Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    const Shape& stride, const Shape& padding, const Shape& dilation,
                    bool transposed, const Shape& output_padding, int64_t groups, bool, bool, bool,
                    bool) {
  return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                     groups);
}
Tensor _convolution(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
                    const Shape& stride, const Shape& padding, const Shape& dilation,
                    bool transposed, const Shape& output_padding, int64_t groups, bool, bool,
                    bool) {
  return convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                     groups);
}
Tensor _convolution_mode(const Tensor& input, const Tensor& weight,
                         const std::optional<Tensor>& bias, const Shape& stride,
                         std::string_view padding, const Shape& dilation, int64_t groups) {
  const size_t dims = dims_of(weight);
  if (dims == 1) return conv1d(input, weight, bias, stride, padding, dilation, groups);
  if (dims == 2) return conv2d(input, weight, bias, stride, padding, dilation, groups);
  return conv3d(input, weight, bias, stride, padding, dilation, groups);
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& grad_output, const Tensor& input, const Tensor& weight, OptionalShape,
    const Shape& stride, const Shape& padding, const Shape& dilation, bool transposed, const Shape&,
    int64_t groups, const std::array<bool, 3>& output_mask) {
  const size_t dims = dims_of(weight);
  const char* name = "convolution_backward";
  const Shape steps = spatial_list(name, "stride", stride, dims),
              ends = spatial_list(name, "padding", padding, dims),
              spread = spatial_list(name, "dilation", dilation, dims);
  const Tensor dy = with_batch(name, grad_output, dims), x = with_batch(name, input, dims);
  Tensor dx, dw, db;
  if (transposed) {
    // Places that output_padding adds beyond the kernel's reach have no part in them.
    Tensor g = dy;
    for (size_t d = 0; d < dims; ++d) {
      const auto dim = static_cast<int64_t>(d + 2);
      const int64_t limit =
          x.size(dim) * steps[d] - 2 * ends[d] + spread[d] * (weight.size(dim) - 1);
      if (g.size(dim) > limit) g = narrow(g, dim, 0, limit);
    }
    if (output_mask[0]) dx = conv_forward(g, weight, steps, ends, spread, groups);
    if (output_mask[1])
      dw = conv_backward_weight(x, g, weight.sizes(), steps, ends, spread, groups);
  } else {
    if (output_mask[0])
      dx = conv_backward_input(dy, weight, x.sizes(), steps, ends, spread, groups);
    if (output_mask[1])
      dw = conv_backward_weight(dy, x, weight.sizes(), steps, ends, spread, groups);
  }
  if (output_mask[2]) db = conv_backward_bias(dy);
  if (dx.defined()) dx = without_batch(dx, input, dims);
  return {dx, dw, db};
}

Tensor conv_tbc(const Tensor& self, const Tensor& weight, const Tensor& bias, int64_t pad) {
  OA_REQUIRE(self.dim() == 3 && weight.dim() == 3 && bias.dim() == 1,
             "conv_tbc: expected x [t, n, c], weight [kernel, c, out] and bias [out], was ",
             self.sizes(), ", ", weight.sizes(), " and ", bias.sizes());
  return permute(
      conv1d(permute(self, {1, 2, 0}), permute(weight, {2, 1, 0}), bias, Shape{1}, Shape{pad}),
      {2, 0, 1});
}

Tensor thnn_conv2d(const Tensor& input, const Tensor& weight, const Shape& kernel_size,
                   const std::optional<Tensor>& bias, const Shape& stride, const Shape& padding) {
  check_kernel("thnn_conv2d", weight, kernel_size, 2);
  return conv2d(input, weight, bias, stride, padding);
}
Tensor slow_conv3d(const Tensor& input, const Tensor& weight, const Shape& kernel_size,
                   const std::optional<Tensor>& bias, const Shape& stride, const Shape& padding) {
  check_kernel("slow_conv3d", weight, kernel_size, 3);
  return conv3d(input, weight, bias, stride, padding);
}

}  // namespace oneagent
