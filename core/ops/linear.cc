#include "core/ops/linear.h"

#include "core/kernels/gemm.h"
#include "core/ops/binary.h"
#include "core/ops/matmul.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"activation", AttrKind::kInt}};

Activation activation_of(const Attrs& attrs) { return static_cast<Activation>(attrs.integer(0)); }
Attrs attrs_of(Activation activation) { return Attrs().add(static_cast<int64_t>(activation)); }

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("linear", in);
  require_floating("linear", *in[0]);
  const Shape &x = in[0]->sizes, &w = in[1]->sizes;
  OA_REQUIRE(x.size() == 2 && w.size() == 2 && x[1] == w[1],
             "linear: expected x [n, in] and weight [out, in], was ", x, " and ", w);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{w[0]}, "linear: expected a bias of shape [",
             w[0], "], was ", in[2]->sizes);
  out.add({x[0], w[0]}, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor& weight = in[1];
  const TensorMeta& meta = weight.impl().meta;
  cpu::GemmArgs args;
  args.m = out[0].sizes()[0];
  args.n = out[0].sizes()[1];
  args.k = meta.sizes[1];
  args.a = in[0].data_ptr();
  args.a_row = in[0].strides()[0];
  args.a_col = in[0].strides()[1];
  args.b = weight.data_ptr();
  args.b_row = meta.strides[1];
  args.b_col = meta.strides[0];
  args.c = out[0].data_ptr();
  args.c_row = args.n;
  OA_REQUIRE(!in.has(2) || in[2].is_contiguous(), "linear: the bias must be contiguous");
  args.bias = in.has(2) ? in[2].data_ptr() : nullptr;
  args.activation = activation_of(attrs);
  run_gemm(stream, out[0].dtype(), args);
}

double flops(Metas in, const Attrs&, const Inferred& out) {
  return 2.0 * static_cast<double>(out[0].sizes.numel() * in[0]->sizes[1]);
}

Tensor before_activation(const VjpCall& call) {
  switch (activation_of(call.attrs())) {
    case Activation::kRelu:
      return relu_backward(call.grad(), call.output());
    case Activation::kTanh:
      return tanh_backward(call.grad(), call.output());
    case Activation::kSigmoid:
      return sigmoid_backward(call.grad(), call.output());
    case Activation::kNone:
      break;
  }
  return call.grad();
}

void vjp(VjpCall& call) {
  const Tensor gradient = before_activation(call);
  if (call.needs(0)) call.set(0, mm(gradient, call.input(1)));
  if (call.needs(1)) call.set(1, mm(t(gradient), call.input(0)));
  if (call.needs(2)) call.set(2, sum(gradient, Shape{0}));
}

constinit const Op kLinear = {
    .name = "linear",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "mk,nk,n->mn", .linear = 0},
    .saves = saves_input(0) | saves_input(1) | saves_output(),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4}), normal({5, 4}), normal({5})}, attrs_of(Activation::kNone)},
              {{normal({7, 9}), normal({34, 9}), absent()}, attrs_of(Activation::kTanh)},
              {{normal({2, 3}), normal({4, 3}), normal({4})}, attrs_of(Activation::kSigmoid)},
              {{normal({1, 20}), normal({16, 20}), normal({16})}, attrs_of(Activation::kRelu)}};
        },
};

}  // namespace

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Activation activation) {
  if (x.dim() == 2) return call_op(kLinear, {&x, &weight, &bias}, attrs_of(activation));
  OA_REQUIRE(x.dim() > 0, "linear: x needs at least one dimension");
  const Tensor flat = reshape(x, {-1, x.size(-1)});
  Shape sizes = x.sizes();
  sizes[sizes.size() - 1] = weight.size(0);
  return view(call_op(kLinear, {&flat, &weight, &bias}, attrs_of(activation)), sizes);
}

OA_OP(linear, &kLinear)

}  // namespace oneagent
