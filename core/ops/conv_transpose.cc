#include "core/ops/conv_transpose.h"

#include "core/kernels/copy.h"
#include "core/ops/conv.h"
#include "core/ops/op_conv.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"stride", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"groups", AttrKind::kInt},
                               {"output_padding", AttrKind::kInts}};

Attrs transpose_attrs(const Shape& stride, const Shape& padding, const Shape& dilation,
                      int64_t groups, const Shape& output_padding) {
  return Attrs().add(stride).add(padding).add(dilation).add(groups).add(output_padding);
}

// [n, out, spatial'...]
Shape result_sizes(const Shape& x, const Shape& weight, const Attrs& attrs) {
  const Shape stride = attrs.list(0), padding = attrs.list(1), dilation = attrs.list(2),
              more = attrs.list(4);
  const int64_t groups = attrs.integer(3);
  const size_t dims = stride.size();
  OA_REQUIRE(x.size() == dims + 2 && weight.size() == dims + 2 && groups > 0 && x[1] == weight[0] &&
                 x[1] % groups == 0,
             "conv_transpose", dims, "d: expected x [n, c, ", dims, " spatial dimensions] and ",
             "weight [c, out / ", groups, ", kernel...], was ", x, " and ", weight);
  Shape sizes = {x[0], weight[1] * groups};
  for (size_t d = 0; d < dims; ++d) {
    OA_REQUIRE(stride[d] > 0 && dilation[d] > 0 && padding[d] >= 0 && more[d] >= 0 &&
                   (more[d] < stride[d] || more[d] < dilation[d]),
               "conv_transpose", dims, "d: stride ", stride, " and dilation ", dilation,
               " must be positive, padding ", padding,
               " not negative and output_padding below one of them, was ", more);
    int64_t size = 0, reach = 0, cut = 0;
    const bool counts = !__builtin_mul_overflow(x[d + 2] - 1, stride[d], &size) &&
                        !__builtin_mul_overflow(dilation[d], weight[d + 2] - 1, &reach) &&
                        !__builtin_mul_overflow(padding[d], 2, &cut) &&
                        !__builtin_add_overflow(size, reach, &size) &&
                        !__builtin_add_overflow(size - cut, more[d] + 1, &size);
    OA_REQUIRE(counts, "conv_transpose", dims, "d: stride ", stride, ", dilation ", dilation,
               " or padding ", padding, " is larger than can be counted");
    sizes.push_back(size);
    OA_REQUIRE(sizes.back() > 0, "conv_transpose", dims, "d: padding ", padding,
               " leaves nothing of the result of ", x, " by ", weight);
  }
  return sizes;
}

// Of the convolution whose operand is the result and whose result is x.
ConvShape shape_of(const Shape& result, const Shape& x, const Shape& weight, const Attrs& attrs) {
  ConvShape shape =
      conv_shape(result, weight, attrs.list(0), attrs.list(1), attrs.list(2), attrs.integer(3));
  fill_three(Shape(std::span(x.data() + 2, x.size() - 2)), 1, shape.out);
  return shape;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv_transpose", in);
  require_floating("conv_transpose", *in[0]);
  const Shape sizes = result_sizes(in[0]->sizes, in[1]->sizes, attrs);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{sizes[1]},
             "conv_transpose: expected a bias of shape [", sizes[1], "], was ", in[2]->sizes);
  out.add(sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_conv_backward_input(stream, shape_of(out[0].sizes(), in[0].sizes(), in[1].sizes(), attrs),
                          out[0], as_contiguous(stream, in[0]), as_contiguous(stream, in[1]),
                          in.has(2) ? as_contiguous(stream, in[2]) : Tensor());
}
double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape &x = in[0]->sizes, w = in[1]->sizes;
  return w[0] == 0 ? 0.0 : 2.0 * static_cast<double>(x.numel() * (w.numel() / w[0]));
}

// A gradient without the places that no tap of the kernel reaches, which output_padding may add, so
// that the convolution over it has the size of x again.
Tensor reached(Tensor gradient, const Shape& x, const Shape& weight, const Attrs& attrs) {
  const Shape stride = attrs.list(0), padding = attrs.list(1), dilation = attrs.list(2);
  for (size_t d = 0; d < stride.size(); ++d) {
    const int64_t limit = x[d + 2] * stride[d] - 2 * padding[d] + dilation[d] * (weight[d + 2] - 1);
    const auto dim = static_cast<int64_t>(d + 2);
    if (gradient.size(dim) > limit) gradient = narrow(gradient, dim, 0, limit);
  }
  return gradient;
}
void vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const Shape &x = call.input_sizes(0), weight = call.input_sizes(1);
  const Tensor g = reached(call.grad(), x, weight, attrs);
  if (call.needs(0))
    call.set(0, conv_forward(g, call.input(1), attrs.list(0), attrs.list(1), attrs.list(2),
                             attrs.integer(3)));
  if (call.needs(1))
    call.set(1, conv_backward_weight(call.input(0), g, weight, attrs.list(0), attrs.list(1),
                                     attrs.list(2), attrs.integer(3)));
  if (call.needs(2)) call.set(2, conv_backward_bias(call.grad()));
}

Samples samples1() {
  return {{{normal({2, 3, 4}), normal({3, 4, 3}), normal({4})}, transpose_attrs(2, 1, 1, 1, 1)},
          {{normal({1, 4, 3}), normal({4, 2, 2}), absent()}, transpose_attrs(1, 0, 3, 2, 2)}};
}
Samples samples2() {
  return {{{normal({2, 3, 3, 2}), normal({3, 4, 3, 2}), normal({4})},
           transpose_attrs({2, 1}, {1, 0}, {1, 2}, 1, {1, 0})},
          {{normal({1, 4, 2, 3}), normal({4, 1, 2, 3}), normal({2})},
           transpose_attrs({2, 3}, {0, 1}, {1, 1}, 2, {0, 2})},
          {{normal({1, 2, 2, 2}), normal({2, 3, 2, 2}), absent()},
           transpose_attrs({1, 1}, {0, 0}, {3, 2}, 1, {2, 1})}};
}
Samples samples3() {
  return {{{normal({1, 2, 2, 3, 2}), normal({2, 3, 2, 2, 1}), normal({3})},
           transpose_attrs({2, 1, 2}, {0, 1, 0}, {1, 2, 1}, 1, {1, 0, 1})}};
}

constexpr Op transpose_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .absent = saves_input(2),
          .rule = {.linear = 3, .added = 4, .generate = conv_rule<ConvRule::kTransposed>},
          .saves = saves_input(0) | saves_input(1),
          .flops = flops,
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}
constinit const Op kTransposed[] = {transpose_op("conv_transpose1d", samples1),
                                    transpose_op("conv_transpose2d", samples2),
                                    transpose_op("conv_transpose3d", samples3)};

Tensor transposed(size_t dims, const Tensor& input, const Tensor& weight,
                  const std::optional<Tensor>& bias, const Shape& stride, const Shape& padding,
                  const Shape& output_padding, int64_t groups, const Shape& dilation) {
  const char* name = kTransposed[dims - 1].name;
  const Tensor x = with_batch(name, input, dims), none;
  return without_batch(
      call_op(kTransposed[dims - 1], {&x, &weight, bias ? &*bias : &none},
              transpose_attrs(spatial_list(name, "stride", stride, dims),
                              spatial_list(name, "padding", padding, dims),
                              spatial_list(name, "dilation", dilation, dims), groups,
                              spatial_list(name, "output_padding", output_padding, dims))),
      input, dims);
}

}  // namespace

Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Shape& stride,
                        const Shape& padding, const Shape& output_padding, int64_t groups,
                        const Shape& dilation) {
  return transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation);
}
Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Shape& stride,
                        const Shape& padding, const Shape& output_padding, int64_t groups,
                        const Shape& dilation) {
  return transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation);
}
Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                        const std::optional<Tensor>& bias, const Shape& stride,
                        const Shape& padding, const Shape& output_padding, int64_t groups,
                        const Shape& dilation) {
  return transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation);
}

OA_OP(conv_transpose, &kTransposed[0], &kTransposed[1], &kTransposed[2])

}  // namespace oneagent
