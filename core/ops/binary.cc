#include "core/ops/binary.h"

#include "core/kernels/elementwise.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("elementwise", in);
  out.add(broadcast_sizes("elementwise", in[0]->sizes, in[1]->sizes), in[0]->dtype);
}

template <cpu::Binary F>
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_binary(stream, F, out[0], in[0], in[1]);
}

Samples broadcast_samples() {
  return {{{normal({3, 4}), normal({3, 4})}},
          {{normal({2, 3, 4}), normal({3, 1})}},
          {{normal({}), normal({5})}},
          {{normal({0, 3}), normal({1, 3})}}};
}
Samples positive_samples() {
  return {{{positive({3, 4}), positive({3, 4})}},
          {{positive({2, 3, 4}), positive({4})}},
          {{positive({}), positive({})}}};
}
Samples distinct_samples() {
  return {{{distinct({3, 4}), distinct({3, 4})}},
          {{normal({2, 3}), normal({3})}},
          {{normal({4}), normal({})}}};
}
Samples activation_samples() {
  return {{{normal({3, 5}), unit({3, 5})}}, {{normal({}), unit({})}}};
}

template <cpu::Binary F>
constexpr Op binary_op(const char* name, void (*vjp)(VjpCall&), uint32_t saves, uint32_t linear,
                       Samples (*samples)()) {
  return {.name = name,
          .infer = infer,
          .rule = {.factors = "...,...->...", .linear = linear},
          .saves = saves,
          .in_place = true,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}

constexpr uint32_t kBoth = saves_input(0) | saves_input(1);

void set_reduced(VjpCall& call, size_t i, const Tensor& gradient) {
  call.set(i, sum_to(gradient, call.input_sizes(i)));
}

void add_vjp(VjpCall& call) {
  for (const size_t i : {0, 1})
    if (call.needs(i)) set_reduced(call, i, call.grad());
}
void sub_vjp(VjpCall& call) {
  if (call.needs(0)) set_reduced(call, 0, call.grad());
  if (call.needs(1)) set_reduced(call, 1, neg(call.grad()));
}
void mul_vjp(VjpCall& call) {
  if (call.needs(0)) set_reduced(call, 0, mul(call.grad(), call.input(1)));
  if (call.needs(1)) set_reduced(call, 1, mul(call.grad(), call.input(0)));
}
void div_vjp(VjpCall& call) {
  const Tensor scaled = div(call.grad(), call.input(1));
  if (call.needs(0)) set_reduced(call, 0, scaled);
  if (call.needs(1)) set_reduced(call, 1, neg(mul(scaled, div(call.input(0), call.input(1)))));
}
void pow_vjp(VjpCall& call) {
  const Tensor base = call.input(0), exponent = call.input(1);
  if (call.needs(0))
    set_reduced(call, 0, mul(call.grad(), mul(exponent, pow(base, sub(exponent, 1.0)))));
  if (call.needs(1)) set_reduced(call, 1, mul(call.grad(), mul(call.output(), log(base))));
}
template <bool Largest>
void extreme_vjp(VjpCall& call) {
  const Tensor a = call.input(0), b = call.input(1);
  const Tensor half = mul(call.grad(), 0.5);
  const Tensor zero = mul(call.grad(), 0.0);
  const Tensor tie = where(eq(a, b), half, zero);
  const Tensor first = Largest ? gt(a, b) : lt(a, b);
  const Tensor second = Largest ? lt(a, b) : gt(a, b);
  if (call.needs(0)) set_reduced(call, 0, add(where(first, call.grad(), zero), tie));
  if (call.needs(1)) set_reduced(call, 1, add(where(second, call.grad(), zero), tie));
}

// d/dgradient is the same op; d/dy of g (1 - y^2) is -2 g y.
void tanh_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, tanh_backward(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mul(mul(call.grad(), mul(call.input(0), call.input(1))), -2.0));
}
void sigmoid_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, sigmoid_backward(call.grad(), call.input(1)));
  if (call.needs(1))
    call.set(1, mul(mul(call.grad(), call.input(0)), add(mul(call.input(1), -2.0), 1.0)));
}
void relu_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, relu_backward(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mul(call.grad(), 0.0));
}
// gelu'' = pdf(x) (2 - x^2)
void gelu_backward_vjp(VjpCall& call) {
  const Tensor x = call.input(1);
  if (call.needs(0)) call.set(0, gelu_backward(call.grad(), x));
  if (!call.needs(1)) return;
  const Tensor density = mul(exp(mul(square(x), -0.5)), 0.39894228040143267794);
  call.set(1, mul(mul(call.grad(), call.input(0)), mul(density, sub(2.0, square(x)))));
}
void softplus_backward_vjp(VjpCall& call) {
  const Tensor x = call.input(1);
  if (call.needs(0)) call.set(0, softplus_backward(call.grad(), x));
  if (!call.needs(1)) return;
  const Tensor s = sigmoid(x);
  call.set(1, mul(mul(call.grad(), call.input(0)), mul(s, sub(1.0, s))));
}

constinit const Op kAdd = binary_op<cpu::Binary::kAdd>("add", add_vjp, 0, 3, broadcast_samples);
constinit const Op kSub = binary_op<cpu::Binary::kSub>("sub", sub_vjp, 0, 3, broadcast_samples);
constinit const Op kMul = binary_op<cpu::Binary::kMul>("mul", mul_vjp, kBoth, 3, broadcast_samples);
constinit const Op kDiv = binary_op<cpu::Binary::kDiv>("div", div_vjp, kBoth, 1, positive_samples);
constinit const Op kPow =
    binary_op<cpu::Binary::kPow>("pow", pow_vjp, kBoth | saves_output(), 0, positive_samples);
constinit const Op kMinimum =
    binary_op<cpu::Binary::kMinimum>("minimum", extreme_vjp<false>, kBoth, 0, distinct_samples);
constinit const Op kMaximum =
    binary_op<cpu::Binary::kMaximum>("maximum", extreme_vjp<true>, kBoth, 0, distinct_samples);
constinit const Op kTanhBackward = binary_op<cpu::Binary::kTanhGrad>(
    "tanh_backward", tanh_backward_vjp, kBoth, 1, activation_samples);
constinit const Op kSigmoidBackward = binary_op<cpu::Binary::kSigmoidGrad>(
    "sigmoid_backward", sigmoid_backward_vjp, kBoth, 1, activation_samples);
constinit const Op kReluBackward = binary_op<cpu::Binary::kReluGrad>(
    "relu_backward", relu_backward_vjp, kBoth, 1, activation_samples);
constinit const Op kGeluBackward = binary_op<cpu::Binary::kGeluGrad>(
    "gelu_backward", gelu_backward_vjp, kBoth, 1, activation_samples);
constinit const Op kSoftplusBackward = binary_op<cpu::Binary::kSoftplusGrad>(
    "softplus_backward", softplus_backward_vjp, kBoth, 1, activation_samples);

Tensor promoted(const Op& op, const Tensor& a, const Tensor& b, bool floating = false) {
  if (a.dtype() == b.dtype() && (!floating || a.is_floating_point())) return call_op(op, {&a, &b});
  DType dtype = result_type(a, b);
  if (floating && !is_floating(dtype)) dtype = get_default_dtype();
  const Tensor left = to(a, dtype), right = to(b, dtype);
  return call_op(op, {&left, &right});
}

const Tensor& in_place(const Op& op, const Tensor& self, const Tensor& other) {
  if (self.dtype() == other.dtype()) return call_in_place(op, {&self, &other});
  OA_REQUIRE(self.is_floating_point() || !is_floating(result_type(self, other)), op.name,
             "_: a result of type ", name_of(result_type(self, other)), " cannot be stored in ",
             name_of(self.dtype()));
  const Tensor converted = to(other, self.dtype());
  return call_in_place(op, {&self, &converted});
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b) { return promoted(kAdd, a, b); }
Tensor sub(const Tensor& a, const Tensor& b) { return promoted(kSub, a, b); }
Tensor mul(const Tensor& a, const Tensor& b) { return promoted(kMul, a, b); }
Tensor div(const Tensor& a, const Tensor& b) { return promoted(kDiv, a, b, true); }
Tensor pow(const Tensor& base, const Tensor& exponent) {
  return promoted(kPow, base, exponent, true);
}
Tensor minimum(const Tensor& a, const Tensor& b) { return promoted(kMinimum, a, b); }
Tensor maximum(const Tensor& a, const Tensor& b) { return promoted(kMaximum, a, b); }

Tensor tanh_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kTanhBackward, {&gradient, &y});
}
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kSigmoidBackward, {&gradient, &y});
}
Tensor relu_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kReluBackward, {&gradient, &y});
}
Tensor gelu_backward(const Tensor& gradient, const Tensor& x) {
  return call_op(kGeluBackward, {&gradient, &x});
}
Tensor softplus_backward(const Tensor& gradient, const Tensor& x) {
  return call_op(kSoftplusBackward, {&gradient, &x});
}

const Tensor& add_(const Tensor& self, const Tensor& other) { return in_place(kAdd, self, other); }
const Tensor& sub_(const Tensor& self, const Tensor& other) { return in_place(kSub, self, other); }
const Tensor& mul_(const Tensor& self, const Tensor& other) { return in_place(kMul, self, other); }
const Tensor& div_(const Tensor& self, const Tensor& other) { return in_place(kDiv, self, other); }

OA_OP(binary, &kAdd, &kSub, &kMul, &kDiv, &kPow, &kMinimum, &kMaximum, &kTanhBackward,
      &kSigmoidBackward, &kReluBackward, &kGeluBackward, &kSoftplusBackward)

}  // namespace oneagent
