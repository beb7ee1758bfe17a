#include "core/ops/conv.h"

#include "core/kernels/conv.h"
#include "core/kernels/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

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

Attrs conv_attrs(Pair stride, Pair padding, Pair dilation, int64_t groups) {
  return Attrs()
      .add(Shape{stride.h, stride.w})
      .add(Shape{padding.h, padding.w})
      .add(Shape{dilation.h, dilation.w})
      .add(groups);
}
// The attrs of forward, with or without sizes behind them.
Attrs with_sizes(const Attrs& attrs, const Shape& sizes) {
  return Attrs()
      .add(attrs.list(0))
      .add(attrs.list(1))
      .add(attrs.list(2))
      .add(attrs.integer(3))
      .add(sizes);
}
Attrs without_sizes(const Attrs& attrs) {
  return Attrs().add(attrs.list(0)).add(attrs.list(1)).add(attrs.list(2)).add(attrs.integer(3));
}

int64_t out_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  return (size + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

ConvShape shape_of(const Shape& x, const Shape& w, const Attrs& attrs) {
  const Shape stride = attrs.list(0), padding = attrs.list(1), dilation = attrs.list(2);
  const int64_t groups = attrs.integer(3);
  OA_REQUIRE(
      x.size() == 4 && w.size() == 4 && groups > 0 && x[1] == w[1] * groups && w[0] % groups == 0,
      "conv2d: expected x [n, c, h, w] and weight [out, c / ", groups, ", kh, kw], was ", x,
      " and ", w);
  OA_REQUIRE(stride[0] > 0 && stride[1] > 0 && dilation[0] > 0 && dilation[1] > 0 &&
                 padding[0] >= 0 && padding[1] >= 0,
             "conv2d: stride ", stride, ", dilation ", dilation, " and padding ", padding,
             " must be positive");
  ConvShape out{x[0],        x[1],      x[2],      x[3],       w[0],       w[2],
                w[3],        stride[0], stride[1], padding[0], padding[1], dilation[0],
                dilation[1], groups,    0,         0};
  out.out_h = out_size(x[2], w[2], stride[0], padding[0], dilation[0]);
  out.out_w = out_size(x[3], w[3], stride[1], padding[1], dilation[1]);
  OA_REQUIRE(out.out_h > 0 && out.out_w > 0, "conv2d: a kernel of ", w[2], " x ", w[3],
             " does not fit into an image of ", x[2], " x ", x[3], " with padding ", padding);
  return out;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv2d", in);
  require_floating("conv2d", *in[0]);
  const ConvShape s = shape_of(in[0]->sizes, in[1]->sizes, attrs);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{s.filters},
             "conv2d: expected a bias of shape [", s.filters, "], was ", in[2]->sizes);
  out.add({s.images, s.filters, s.out_h, s.out_w}, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor bias = in.has(2) ? as_contiguous(stream, in[2]) : Tensor();
  run_conv2d(stream, shape_of(in[0].sizes(), in[1].sizes(), attrs), out[0],
             as_contiguous(stream, in[0]), as_contiguous(stream, in[1]), bias);
}
double flops(Metas in, const Attrs&, const Inferred& out) {
  const Shape& w = in[1]->sizes;
  return 2.0 * static_cast<double>(out[0].sizes.numel() * w[1] * w[2] * w[3]);
}

Tensor backward_input(const Tensor& dy, const Tensor& weight, const Attrs& attrs,
                      const Shape& sizes);
Tensor backward_weight(const Tensor& dy, const Tensor& x, const Attrs& attrs, const Shape& sizes);
Tensor forward(const Tensor& x, const Tensor& weight, const Attrs& attrs);

void vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, backward_input(call.grad(), call.input(1), call.attrs(), call.input_sizes(0)));
  if (call.needs(1))
    call.set(1, backward_weight(call.grad(), call.input(0), call.attrs(), call.input_sizes(1)));
  if (call.needs(2)) call.set(2, sum(call.grad(), Shape{0, 2, 3}));
}

Samples samples() {
  return {{{normal({2, 3, 5, 6}), normal({4, 3, 3, 2}), normal({4})}, conv_attrs(1, 0, 1, 1)},
          {{normal({1, 2, 6, 6}), normal({3, 2, 3, 3}), absent()}, conv_attrs(2, 1, 1, 1)},
          {{normal({2, 4, 7, 7}), normal({6, 2, 3, 3}), normal({6})}, conv_attrs(1, 2, 2, 2)}};
}

// With groups, channels and filters are tied to each other and stay whole.
std::string rule(Metas, const Attrs& attrs) {
  return attrs.integer(3) == 1 ? "nchw,ocij,o->noyx;hwijyx" : "nchw,odij,o->noyx;hwijyxcdo";
}
std::string backward_input_rule(Metas, const Attrs& attrs) {
  return attrs.integer(3) == 1 ? "noyx,ocij->nchw;hwijyx" : "noyx,odij->nchw;hwijyxcdo";
}
std::string backward_weight_rule(Metas, const Attrs& attrs) {
  return attrs.integer(3) == 1 ? "noyx,nchw->ocij;hwijyx" : "noyx,nchw->odij;hwijyxcdo";
}

constinit const Op kConv2d = {
    .name = "conv2d",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .saves = saves_input(0) | saves_input(1),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples = samples,
};

// (gradient of the result, weight) -> gradient of x
void backward_input_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("conv2d_backward_input", in);
  out.add(attrs.list(4), in[0]->dtype);
}
void backward_input_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_conv2d_backward_input(stream, shape_of(attrs.list(4), in[1].sizes(), attrs), out[0],
                            as_contiguous(stream, in[0]), as_contiguous(stream, in[1]));
}
void backward_input_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, forward(call.grad(), call.input(1), without_sizes(call.attrs())));
  if (call.needs(1))
    call.set(1, backward_weight(call.input(0), call.grad(), call.attrs(), call.input_sizes(1)));
}
constinit const Op kBackwardInput = {
    .name = "conv2d_backward_input",
    .attrs = kBackwardAttrs,
    .infer = backward_input_infer,
    .rule = {.linear = 3, .generate = backward_input_rule},
    .saves = saves_input(0) | saves_input(1),
    .vjp = backward_input_vjp,
    .kernels = {backward_input_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 4, 2, 2}), normal({4, 3, 3, 3})},
                          with_sizes(conv_attrs(2, 1, 1, 1), {2, 3, 4, 4})}};
        },
};

// (gradient of the result, x) -> gradient of the weight
void backward_weight_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_conv2d_backward_weight(stream, shape_of(in[1].sizes(), attrs.list(4), attrs), out[0],
                             as_contiguous(stream, in[0]), as_contiguous(stream, in[1]));
}
void backward_weight_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, forward(call.input(1), call.grad(), without_sizes(call.attrs())));
  if (call.needs(1))
    call.set(1, backward_input(call.input(0), call.grad(), call.attrs(), call.input_sizes(1)));
}
constinit const Op kBackwardWeight = {
    .name = "conv2d_backward_weight",
    .attrs = kBackwardAttrs,
    .infer = backward_input_infer,
    .rule = {.linear = 3, .generate = backward_weight_rule},
    .saves = saves_input(0) | saves_input(1),
    .vjp = backward_weight_vjp,
    .kernels = {backward_weight_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 4, 2, 2}), normal({2, 3, 4, 4})},
                          with_sizes(conv_attrs(2, 1, 1, 1), {4, 3, 3, 3})}};
        },
};

Tensor forward(const Tensor& x, const Tensor& weight, const Attrs& attrs) {
  const Tensor none;
  return call_op(kConv2d, {&x, &weight, &none}, attrs);
}
Tensor backward_input(const Tensor& dy, const Tensor& weight, const Attrs& attrs,
                      const Shape& sizes) {
  return call_op(kBackwardInput, {&dy, &weight}, with_sizes(attrs, sizes));
}
Tensor backward_weight(const Tensor& dy, const Tensor& x, const Attrs& attrs, const Shape& sizes) {
  return call_op(kBackwardWeight, {&dy, &x}, with_sizes(attrs, sizes));
}

constexpr AttrSpec kPoolAttrs[] = {
    {"kernel_size", AttrKind::kInts}, {"stride", AttrKind::kInts}, {"padding", AttrKind::kInts}};

PoolShape pool_shape(const Shape& x, const Attrs& attrs) {
  const Shape kernel = attrs.list(0), stride = attrs.list(1), padding = attrs.list(2);
  OA_REQUIRE(x.size() == 4, "max_pool2d: expected x [n, c, h, w], was ", x);
  OA_REQUIRE(kernel[0] > 0 && kernel[1] > 0 && stride[0] > 0 && stride[1] > 0 &&
                 2 * padding[0] <= kernel[0] && 2 * padding[1] <= kernel[1],
             "max_pool2d: kernel ", kernel, " and stride ", stride,
             " must be positive and padding ", padding, " at most half the kernel");
  PoolShape out{x[0] * x[1], x[2],       x[3],       kernel[0], kernel[1], stride[0],
                stride[1],   padding[0], padding[1], 0,         0};
  out.out_h = out_size(x[2], kernel[0], stride[0], padding[0], 1);
  out.out_w = out_size(x[3], kernel[1], stride[1], padding[1], 1);
  OA_REQUIRE(out.out_h > 0 && out.out_w > 0, "max_pool2d: a window of ", kernel,
             " does not fit into an image of ", x[2], " x ", x[3]);
  return out;
}
void pool_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("max_pool2d", *in[0]);
  const PoolShape s = pool_shape(in[0]->sizes, attrs);
  const Shape sizes = {in[0]->sizes[0], in[0]->sizes[1], s.out_h, s.out_w};
  out.add(sizes, in[0]->dtype);
  out.add(sizes, DType::kInt64);
}
void pool_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_max_pool2d(stream, pool_shape(in[0].sizes(), attrs), out[0], out[1],
                 as_contiguous(stream, in[0]));
}
void pool_vjp(VjpCall& call) {
  const Shape& sizes = call.input_sizes(0);
  const int64_t planes = sizes[0] * sizes[1];
  const Tensor index = reshape(call.output(1), {planes, -1}),
               gradient = reshape(call.grad(), {planes, -1});
  call.set(0, view(scatter_add(zeros({planes, sizes[2] * sizes[3]}, gradient.dtype()), 1, index,
                               gradient),
                   sizes));
}

constinit const Op kMaxPool2d = {
    .name = "max_pool2d",
    .attrs = kPoolAttrs,
    .infer = pool_infer,
    .rule = {.factors = "nchw->ncyx,ncyx", .closed = "hwyx"},
    .saves = saves_output(1),
    .vjp = pool_vjp,
    .kernels = {pool_kernel},
    .samples =
        [] {
          return Samples{{{distinct({2, 3, 4, 4})},
                          Attrs().add(Shape{2, 2}).add(Shape{2, 2}).add(Shape{0, 0})},
                         {{distinct({1, 2, 5, 5})},
                          Attrs().add(Shape{3, 3}).add(Shape{2, 2}).add(Shape{1, 1})}};
        },
};

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, Pair stride, Pair padding,
              Pair dilation, int64_t groups) {
  return call_op(kConv2d, {&x, &weight, &bias}, conv_attrs(stride, padding, dilation, groups));
}

Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride, Pair padding) {
  const Pair step = stride.value_or(kernel_size);
  Tensor out[2];
  call_op(kMaxPool2d, {&x},
          Attrs()
              .add(Shape{kernel_size.h, kernel_size.w})
              .add(Shape{step.h, step.w})
              .add(Shape{padding.h, padding.w}),
          out);
  return out[0];
}

OA_OP(conv, &kConv2d, &kBackwardInput, &kBackwardWeight, &kMaxPool2d)

}  // namespace oneagent
