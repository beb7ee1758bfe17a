#include "core/ops/conv.h"

#include "core/kernels/conv.h"
#include "core/kernels/copy.h"
#include "core/ops/op_conv.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"stride", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"groups", AttrKind::kInt}};
// The backward ops also carry the shape of what they compute.
constexpr AttrSpec kBackwardAttrs[] = {{"stride", AttrKind::kInts},
                                       {"padding", AttrKind::kInts},
                                       {"dilation", AttrKind::kInts},
                                       {"groups", AttrKind::kInt},
                                       {"sizes", AttrKind::kInts}};

Attrs conv_attrs(const Shape& stride, const Shape& padding, const Shape& dilation, int64_t groups) {
  return Attrs().add(stride).add(padding).add(dilation).add(groups);
}
Attrs with_sizes(const Attrs& attrs, const Shape& sizes) {
  return conv_attrs(attrs.list(0), attrs.list(1), attrs.list(2), attrs.integer(3)).add(sizes);
}

ConvShape shape_of(const Shape& x, const Shape& weight, const Attrs& attrs) {
  return conv_shape(x, weight, attrs.list(0), attrs.list(1), attrs.list(2), attrs.integer(3));
}
// [images, filters, out...]
Shape result_sizes(const ConvShape& s, size_t dims) {
  Shape sizes = {s.images, s.filters};
  for (size_t d = 3 - dims; d < 3; ++d) sizes.push_back(s.out[d]);
  return sizes;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv", in);
  require_floating("conv", *in[0]);
  const ConvShape s = shape_of(in[0]->sizes, in[1]->sizes, attrs);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{s.filters}, "Given weight of size ",
             in[1]->sizes, ", expected bias to be 1-dimensional with ", s.filters,
             " elements, but got bias of size ", in[2]->sizes, " instead");
  out.add(result_sizes(s, attrs.list(0).size()), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor bias = in.has(2) ? as_contiguous(stream, in[2]) : Tensor();
  run_conv(stream, shape_of(in[0].sizes(), in[1].sizes(), attrs), out[0],
           as_contiguous(stream, in[0]), as_contiguous(stream, in[1]), bias);
}
double flops(Metas in, const Attrs&, const Inferred& out) {
  const Shape& w = in[1]->sizes;
  return w[0] == 0 ? 0.0 : 2.0 * static_cast<double>(out[0].sizes.numel() * (w.numel() / w[0]));
}

Tensor forward(const Tensor& x, const Tensor& weight, const Attrs& attrs);
Tensor backward_input(const Tensor& dy, const Tensor& weight, const Attrs& attrs,
                      const Shape& sizes) {
  return conv_backward_input(dy, weight, sizes, attrs.list(0), attrs.list(1), attrs.list(2),
                             attrs.integer(3));
}
Tensor backward_weight(const Tensor& dy, const Tensor& x, const Attrs& attrs, const Shape& sizes) {
  return conv_backward_weight(dy, x, sizes, attrs.list(0), attrs.list(1), attrs.list(2),
                              attrs.integer(3));
}

void vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, backward_input(call.grad(), call.input(1), call.attrs(), call.input_sizes(0)));
  if (call.needs(1))
    call.set(1, backward_weight(call.grad(), call.input(0), call.attrs(), call.input_sizes(1)));
  if (call.needs(2)) call.set(2, conv_backward_bias(call.grad()));
}

constexpr Op conv_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .absent = saves_input(2),
          .rule = {.linear = 3, .added = 4, .generate = conv_rule<ConvRule::kForward>},
          .saves = saves_input(0) | saves_input(1),
          .flops = flops,
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}

// (gradient of the result, weight) -> gradient of x
void backward_input_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv_backward_input", in);
  const ConvShape s = shape_of(attrs.list(4), in[1]->sizes, attrs);
  const Shape expected = result_sizes(s, attrs.list(0).size());
  OA_REQUIRE(in[0]->sizes == expected, "conv_backward_input: expected a gradient of shape ",
             expected, ", was ", in[0]->sizes);
  out.add(attrs.list(4), in[0]->dtype);
}
void backward_input_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_conv_backward_input(stream, shape_of(attrs.list(4), in[1].sizes(), attrs), out[0],
                          as_contiguous(stream, in[0]), as_contiguous(stream, in[1]));
}
void backward_input_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, forward(call.grad(), call.input(1), call.attrs()));
  if (call.needs(1))
    call.set(1, backward_weight(call.input(0), call.grad(), call.attrs(), call.input_sizes(1)));
}
constexpr Op backward_input_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_input_infer,
          .rule = {.linear = 3, .generate = conv_rule<ConvRule::kBackwardInput>},
          .saves = saves_input(0) | saves_input(1),
          .vjp = backward_input_vjp,
          .kernels = {backward_input_kernel},
          .samples = samples};
}

// (gradient of the result, x) -> gradient of the weight
void backward_weight_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv_backward_weight", in);
  const ConvShape s = shape_of(in[1]->sizes, attrs.list(4), attrs);
  const Shape expected = result_sizes(s, attrs.list(0).size());
  OA_REQUIRE(in[0]->sizes == expected, "conv_backward_weight: expected a gradient of shape ",
             expected, ", was ", in[0]->sizes);
  out.add(attrs.list(4), in[0]->dtype);
}
void backward_weight_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_conv_backward_weight(stream, shape_of(in[1].sizes(), attrs.list(4), attrs), out[0],
                           as_contiguous(stream, in[0]), as_contiguous(stream, in[1]));
}
void backward_weight_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, forward(call.input(1), call.grad(), call.attrs()));
  if (call.needs(1))
    call.set(1, backward_input(call.input(0), call.grad(), call.attrs(), call.input_sizes(1)));
}
constexpr Op backward_weight_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_weight_infer,
          .rule = {.linear = 3, .generate = conv_rule<ConvRule::kBackwardWeight>},
          .saves = saves_input(0) | saves_input(1),
          .vjp = backward_weight_vjp,
          .kernels = {backward_weight_kernel},
          .samples = samples};
}

Samples samples1() {
  return {{{normal({2, 3, 7}), normal({4, 3, 3}), normal({4})}, conv_attrs(1, 0, 1, 1)},
          {{normal({1, 4, 6}), normal({6, 2, 2}), absent()}, conv_attrs(2, 3, 2, 2)}};
}
Samples samples2() {
  return {{{normal({2, 3, 5, 6}), normal({4, 3, 3, 2}), normal({4})},
           conv_attrs({1, 1}, {0, 0}, {1, 1}, 1)},
          {{normal({1, 2, 6, 6}), normal({3, 2, 3, 3}), absent()},
           conv_attrs({2, 2}, {1, 1}, {1, 1}, 1)},
          {{normal({2, 4, 7, 7}), normal({6, 2, 3, 3}), normal({6})},
           conv_attrs({1, 1}, {2, 2}, {2, 2}, 2)},
          {{normal({2, 3, 5, 7}), normal({3, 1, 3, 2}), normal({3})},  // one filter a group
           conv_attrs({2, 1}, {1, 0}, {1, 2}, 3)}};
}
Samples samples3() {
  return {{{normal({1, 2, 3, 4, 3}), normal({3, 2, 2, 2, 2}), normal({3})},
           conv_attrs({1, 1, 1}, {0, 0, 0}, {1, 1, 1}, 1)},
          {{normal({1, 2, 3, 3, 4}), normal({4, 1, 2, 3, 2}), absent()},
           conv_attrs({2, 1, 2}, {1, 2, 0}, {1, 2, 1}, 2)}};
}
Samples input_samples1() {
  return {{{normal({2, 4, 3}), normal({4, 3, 3})}, with_sizes(conv_attrs(2, 1, 1, 1), {2, 3, 6})}};
}
Samples input_samples2() {
  return {{{normal({2, 4, 2, 2}), normal({4, 3, 3, 3})},
           with_sizes(conv_attrs({2, 2}, {1, 1}, {1, 1}, 1), {2, 3, 4, 4})},
          {{normal({1, 6, 4, 3}), normal({6, 1, 2, 3})},
           with_sizes(conv_attrs({1, 2}, {1, 1}, {3, 1}, 3), {1, 3, 5, 6})}};
}
Samples input_samples3() {
  return {{{normal({1, 4, 2, 2, 3}), normal({4, 3, 2, 1, 2})},
           with_sizes(conv_attrs({2, 1, 1}, {1, 0, 0}, {1, 1, 1}, 1), {1, 3, 3, 2, 4})}};
}
Samples weight_samples1() {
  return {{{normal({2, 4, 3}), normal({2, 3, 6})}, with_sizes(conv_attrs(2, 1, 1, 1), {4, 3, 3})}};
}
Samples weight_samples2() {
  return {{{normal({2, 4, 2, 2}), normal({2, 3, 4, 4})},
           with_sizes(conv_attrs({2, 2}, {1, 1}, {1, 1}, 1), {4, 3, 3, 3})},
          {{normal({1, 6, 4, 3}), normal({1, 3, 5, 6})},
           with_sizes(conv_attrs({1, 2}, {1, 1}, {3, 1}, 3), {6, 1, 2, 3})}};
}
Samples weight_samples3() {
  return {{{normal({1, 4, 2, 2, 3}), normal({1, 3, 3, 2, 4})},
           with_sizes(conv_attrs({2, 1, 1}, {1, 0, 0}, {1, 1, 1}, 1), {4, 3, 2, 1, 2})}};
}

constinit const Op kConv[] = {conv_op("conv1d", samples1), conv_op("conv2d", samples2),
                              conv_op("conv3d", samples3)};
constinit const Op kBackwardInput[] = {backward_input_op("conv1d_backward_input", input_samples1),
                                       backward_input_op("conv2d_backward_input", input_samples2),
                                       backward_input_op("conv3d_backward_input", input_samples3)};
constinit const Op kBackwardWeight[] = {
    backward_weight_op("conv1d_backward_weight", weight_samples1),
    backward_weight_op("conv2d_backward_weight", weight_samples2),
    backward_weight_op("conv3d_backward_weight", weight_samples3)};

Tensor forward(const Tensor& x, const Tensor& weight, const Attrs& attrs) {
  const Tensor none;
  return call_op(kConv[attrs.list(0).size() - 1], {&x, &weight, &none},
                 conv_attrs(attrs.list(0), attrs.list(1), attrs.list(2), attrs.integer(3)));
}

constexpr const char* kNames[] = {"conv1d", "conv2d", "conv3d"};

Tensor conv(size_t dims, const Tensor& input, const Tensor& weight,
            const std::optional<Tensor>& bias, const Shape& stride, const Shape& padding,
            const Shape& dilation, int64_t groups) {
  const char* name = kNames[dims - 1];
  OA_REQUIRE(weight.defined(), name, ": the weight is an undefined tensor");
  const Tensor x = with_batch(name, input, dims);
  const Tensor none;
  return without_batch(call_op(kConv[dims - 1], {&x, &weight, bias.has_value() ? &*bias : &none},
                               conv_attrs(spatial_list(name, "stride", stride, dims),
                                          spatial_list(name, "padding", padding, dims),
                                          spatial_list(name, "dilation", dilation, dims), groups)),
                       input, dims);
}

Tensor conv(size_t dims, const Tensor& input, const Tensor& weight,
            const std::optional<Tensor>& bias, const Shape& stride, std::string_view padding,
            const Shape& dilation, int64_t groups) {
  const char* name = kNames[dims - 1];
  OA_REQUIRE(padding == "same" || padding == "valid", name,
             ": padding must be a list, \"valid\" or \"same\", was \"", padding, "\"");
  if (padding == "valid")
    return conv(dims, input, weight, bias, stride, Shape(0), dilation, groups);
  for (const int64_t step : stride)
    OA_REQUIRE(step == 1, name,
               ": padding='same' is not supported for strided convolutions, stride was ", stride);
  const Shape spread = spatial_list(name, "dilation", dilation, dims);
  OA_REQUIRE(static_cast<size_t>(weight.dim()) == dims + 2, name, ": expected a weight of ",
             dims + 2, " dimensions, was ", weight.sizes());
  Shape both, more;  // padding on both sides, and what the far side needs on top of it
  for (size_t d = 0; d < dims; ++d) {
    const int64_t all = spread[d] * (weight.sizes()[d + 2] - 1);
    both.push_back(all / 2);
    more.push_back(all % 2);
  }
  return conv(dims, pad_ends(input, more), weight, bias, stride, both, dilation, groups);
}

}  // namespace

Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, const Shape& padding, const Shape& dilation, int64_t groups) {
  return conv(1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv1d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation,
              int64_t groups) {
  return conv(1, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, const Shape& padding, const Shape& dilation, int64_t groups) {
  return conv(2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv2d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation,
              int64_t groups) {
  return conv(2, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, const Shape& padding, const Shape& dilation, int64_t groups) {
  return conv(3, input, weight, bias, stride, padding, dilation, groups);
}
Tensor conv3d(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              const Shape& stride, std::string_view padding, const Shape& dilation,
              int64_t groups) {
  return conv(3, input, weight, bias, stride, padding, dilation, groups);
}

Tensor conv_forward(const Tensor& x, const Tensor& weight, const Shape& stride,
                    const Shape& padding, const Shape& dilation, int64_t groups) {
  return forward(x, weight, conv_attrs(stride, padding, dilation, groups));
}
Tensor conv_backward_input(const Tensor& grad_output, const Tensor& weight, const Shape& sizes,
                           const Shape& stride, const Shape& padding, const Shape& dilation,
                           int64_t groups) {
  return call_op(kBackwardInput[stride.size() - 1], {&grad_output, &weight},
                 conv_attrs(stride, padding, dilation, groups).add(sizes));
}
Tensor conv_backward_weight(const Tensor& grad_output, const Tensor& input, const Shape& sizes,
                            const Shape& stride, const Shape& padding, const Shape& dilation,
                            int64_t groups) {
  return call_op(kBackwardWeight[stride.size() - 1], {&grad_output, &input},
                 conv_attrs(stride, padding, dilation, groups).add(sizes));
}

OA_OP(conv, &kConv[0], &kConv[1], &kConv[2], &kBackwardInput[0], &kBackwardInput[1],
      &kBackwardInput[2], &kBackwardWeight[0], &kBackwardWeight[1], &kBackwardWeight[2])

}  // namespace oneagent
