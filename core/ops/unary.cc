#include "core/ops/unary.h"

#include "core/kernels/elementwise.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }

template <cpu::Unary F>
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_unary(stream, F, out[0], in[0]);
}

Samples any_samples() {
  return {{{normal({3, 4})}}, {{normal({2, 1, 5})}}, {{normal({})}}, {{normal({0, 3})}}};
}
Samples positive_samples() { return {{{positive({3, 4})}}, {{positive({17})}}, {{positive({})}}}; }

template <cpu::Unary F>
constexpr Op unary_op(const char* name, void (*vjp)(VjpCall&), uint32_t saves,
                      Samples (*samples)() = any_samples) {
  return {.name = name,
          .infer = infer,
          .rule = {.factors = "...->...", .linear = F == cpu::Unary::kNeg ? 1u : 0u},
          .saves = saves,
          .in_place = true,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}

constexpr uint32_t kX = saves_input(0);
constexpr uint32_t kY = saves_output();

constinit const Op kNeg = unary_op<cpu::Unary::kNeg>(
    "neg", [](VjpCall& c) { c.set(0, neg(c.grad())); }, 0);
constinit const Op kAbs = unary_op<cpu::Unary::kAbs>(
    "abs", [](VjpCall& c) { c.set(0, mul(c.grad(), sign(c.input(0)))); }, kX);
constinit const Op kSign = unary_op<cpu::Unary::kSign>(
    "sign", [](VjpCall& c) { c.set(0, mul(c.grad(), 0.0)); }, 0);
constinit const Op kSquare = unary_op<cpu::Unary::kSquare>(
    "square", [](VjpCall& c) { c.set(0, mul(c.grad(), mul(c.input(0), 2.0))); }, kX);
constinit const Op kExp = unary_op<cpu::Unary::kExp>(
    "exp", [](VjpCall& c) { c.set(0, mul(c.grad(), c.output())); }, kY);
constinit const Op kExpm1 = unary_op<cpu::Unary::kExpm1>(
    "expm1", [](VjpCall& c) { c.set(0, mul(c.grad(), add(c.output(), 1.0))); }, kY);
constinit const Op kLog = unary_op<cpu::Unary::kLog>(
    "log", [](VjpCall& c) { c.set(0, div(c.grad(), c.input(0))); }, kX, positive_samples);
constinit const Op kLog1p = unary_op<cpu::Unary::kLog1p>(
    "log1p", [](VjpCall& c) { c.set(0, div(c.grad(), add(c.input(0), 1.0))); }, kX,
    positive_samples);
constinit const Op kSqrt = unary_op<cpu::Unary::kSqrt>(
    "sqrt", [](VjpCall& c) { c.set(0, div(c.grad(), mul(c.output(), 2.0))); }, kY,
    positive_samples);
constinit const Op kRsqrt = unary_op<cpu::Unary::kRsqrt>(
    "rsqrt",
    [](VjpCall& c) { c.set(0, mul(mul(c.grad(), -0.5), mul(c.output(), square(c.output())))); }, kY,
    positive_samples);
constinit const Op kReciprocal = unary_op<cpu::Unary::kReciprocal>(
    "reciprocal", [](VjpCall& c) { c.set(0, neg(mul(c.grad(), square(c.output())))); }, kY,
    positive_samples);
constinit const Op kTanh = unary_op<cpu::Unary::kTanh>(
    "tanh", [](VjpCall& c) { c.set(0, tanh_backward(c.grad(), c.output())); }, kY);
constinit const Op kSigmoid = unary_op<cpu::Unary::kSigmoid>(
    "sigmoid", [](VjpCall& c) { c.set(0, sigmoid_backward(c.grad(), c.output())); }, kY);
constinit const Op kRelu = unary_op<cpu::Unary::kRelu>(
    "relu", [](VjpCall& c) { c.set(0, relu_backward(c.grad(), c.output())); }, kY);
constinit const Op kGelu = unary_op<cpu::Unary::kGelu>(
    "gelu", [](VjpCall& c) { c.set(0, gelu_backward(c.grad(), c.input(0))); }, kX);
constinit const Op kSoftplus = unary_op<cpu::Unary::kSoftplus>(
    "softplus", [](VjpCall& c) { c.set(0, softplus_backward(c.grad(), c.input(0))); }, kX);
constinit const Op kSin = unary_op<cpu::Unary::kSin>(
    "sin", [](VjpCall& c) { c.set(0, mul(c.grad(), cos(c.input(0)))); }, kX);
constinit const Op kCos = unary_op<cpu::Unary::kCos>(
    "cos", [](VjpCall& c) { c.set(0, neg(mul(c.grad(), sin(c.input(0))))); }, kX);
constinit const Op kErf = unary_op<cpu::Unary::kErf>(  // 2 / sqrt(pi) exp(-x^2)
    "erf",
    [](VjpCall& c) {
      c.set(0, mul(c.grad(), mul(exp(neg(square(c.input(0)))), 1.12837916709551257390)));
    },
    kX);
constinit const Op kFloor = unary_op<cpu::Unary::kFloor>(
    "floor", [](VjpCall& c) { c.set(0, mul(c.grad(), 0.0)); }, 0);
constinit const Op kCeil = unary_op<cpu::Unary::kCeil>(
    "ceil", [](VjpCall& c) { c.set(0, mul(c.grad(), 0.0)); }, 0);
constinit const Op kRound = unary_op<cpu::Unary::kRound>(
    "round", [](VjpCall& c) { c.set(0, mul(c.grad(), 0.0)); }, 0);

Tensor floating(const Op& op, const Tensor& x) {
  if (x.is_floating_point()) return call_op(op, {&x});
  const Tensor converted = as_floating(x);
  return call_op(op, {&converted});
}

}  // namespace

Tensor neg(const Tensor& x) { return call_op(kNeg, {&x}); }
Tensor abs(const Tensor& x) { return call_op(kAbs, {&x}); }
Tensor sign(const Tensor& x) { return call_op(kSign, {&x}); }
Tensor square(const Tensor& x) { return call_op(kSquare, {&x}); }
Tensor relu(const Tensor& x) { return call_op(kRelu, {&x}); }
Tensor exp(const Tensor& x) { return floating(kExp, x); }
Tensor expm1(const Tensor& x) { return floating(kExpm1, x); }
Tensor log(const Tensor& x) { return floating(kLog, x); }
Tensor log1p(const Tensor& x) { return floating(kLog1p, x); }
Tensor sqrt(const Tensor& x) { return floating(kSqrt, x); }
Tensor rsqrt(const Tensor& x) { return floating(kRsqrt, x); }
Tensor reciprocal(const Tensor& x) { return floating(kReciprocal, x); }
Tensor tanh(const Tensor& x) { return floating(kTanh, x); }
Tensor sigmoid(const Tensor& x) { return floating(kSigmoid, x); }
Tensor sin(const Tensor& x) { return floating(kSin, x); }
Tensor cos(const Tensor& x) { return floating(kCos, x); }
Tensor erf(const Tensor& x) { return floating(kErf, x); }
Tensor floor(const Tensor& x) { return x.is_floating_point() ? call_op(kFloor, {&x}) : x; }
Tensor ceil(const Tensor& x) { return x.is_floating_point() ? call_op(kCeil, {&x}) : x; }
Tensor round(const Tensor& x) { return x.is_floating_point() ? call_op(kRound, {&x}) : x; }

OA_OP(unary, &kNeg, &kAbs, &kSign, &kSquare, &kExp, &kExpm1, &kLog, &kLog1p, &kSqrt, &kRsqrt,
      &kReciprocal, &kTanh, &kSigmoid, &kRelu, &kGelu, &kSoftplus, &kSin, &kCos, &kErf, &kFloor,
      &kCeil, &kRound)

}  // namespace oneagent
