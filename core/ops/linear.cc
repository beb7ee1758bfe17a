#include "core/ops/linear.h"

#include "core/kernels/copy.h"
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
  OA_REQUIRE(!x.empty() && w.size() == 2 && x.back() == w[1],
             "linear: expected x [..., in] and weight [out, in], was ", x, " and ", w);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{w[0]}, "linear: expected a bias of shape [",
             w[0], "], was ", in[2]->sizes);
  Shape sizes = x;
  sizes[sizes.size() - 1] = w[0];
  out.add(sizes, in[0]->dtype);
}

// The operand with its leading dimensions as one, held in `held` where it is not itself: copied
// only where strides do not allow that.
const Tensor& as_matrix(Stream& stream, const Tensor& x, Tensor& held) {
  if (x.dim() == 2) return x;
  const Tensor rows = as_contiguous(stream, x);
  TensorMeta meta = rows.impl().meta;
  const int64_t n = x.sizes().back();
  Shape leading = x.sizes();
  leading.erase(leading.size() - 1);
  meta.sizes = {leading.numel(), n};
  meta.strides = {n, 1};
  return held = alias_of(rows, meta);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor& weight = in[1];
  const TensorMeta& meta = weight.impl().meta;
  Tensor held[2];
  const Tensor& x = as_matrix(stream, in[0], held[0]);
  const Tensor* bias = in.has(2) ? &in[2] : nullptr;
  if (bias != nullptr && !bias->is_contiguous()) bias = &(held[1] = contiguous_copy(stream, in[2]));
  cpu::GemmArgs args;
  args.m = x.sizes()[0];
  args.n = meta.sizes[0];
  args.k = meta.sizes[1];
  args.a = x.data_ptr();
  args.a_row = x.strides()[0];
  args.a_col = x.strides()[1];
  args.b = weight.data_ptr();
  args.b_row = meta.strides[1];
  args.b_col = meta.strides[0];
  args.c = out[0].data_ptr();
  args.c_row = args.n;
  args.bias = bias != nullptr ? bias->data_ptr() : nullptr;
  args.activation = activation_of(attrs);
  run_gemm(stream, out[0].dtype(), args);
}

double flops(Metas in, const Attrs&, const Inferred& out) {
  return 2.0 * static_cast<double>(out[0].sizes.numel() * in[1]->sizes[1]);
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

Tensor rows_of(const Tensor& x) { return x.dim() == 2 ? x : reshape(x, {-1, x.size(-1)}); }

void vjp(VjpCall& call) {
  const Tensor gradient = rows_of(before_activation(call));
  if (call.needs(0)) {
    const Tensor x = mm(gradient, call.input(1));
    call.set(0, call.input_sizes(0).size() == 2 ? x : view(x, call.input_sizes(0)));
  }
  if (call.needs(1)) call.set(1, mm(t(gradient), rows_of(call.input(0))));
  if (call.needs(2)) call.set(2, sum(gradient, Shape{0}));
}

constinit const Op kLinear = {
    .name = "linear",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(2),
    .rule = {.added = 4,
             .generate = [](Metas, const Attrs& attrs) -> std::string {
               const bool plain = activation_of(attrs) == Activation::kNone;
               return plain ? "...k,nk,n->...n" : "...k,nk,n->...n;k";  // of a part of the sum
             }},
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
              {{normal({1, 20}), normal({16, 20}), normal({16})}, attrs_of(Activation::kRelu)},
              {{normal({2, 3, 4}), normal({5, 4}), normal({5})}, attrs_of(Activation::kNone)},
              {{normal({4}), normal({3, 4}), absent()}, attrs_of(Activation::kTanh)},
              {{normal({0, 4}), normal({3, 4}), normal({3})}, attrs_of(Activation::kNone)}};
        },
};

}  // namespace

Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias,
              Activation activation) {
  const Tensor added = bias.value_or(Tensor());
  if (weight.dim() == 1 || !input.is_floating_point()) {
    OA_REQUIRE(activation == Activation::kNone,
               "linear: an activation needs a floating x and a weight [out, in]");
    const Tensor y = matmul(input, t(weight));
    return added.defined() ? add(y, added) : y;
  }
  return call_op(kLinear, {&input, &weight, &added}, attrs_of(activation));
}

OA_OP(linear, &kLinear)

}  // namespace oneagent
