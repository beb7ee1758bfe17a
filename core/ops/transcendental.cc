#include "core/ops/transcendental.h"

#include "core/kernels/cpu/transcendental.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Transcendental;

constexpr double kLn2 = 0.69314718055994530942, kLn10 = 2.30258509299404568402;
constexpr double kPi = 3.14159265358979323846;
constexpr uint32_t kX = Record::kX, kY = Record::kY;

Samples any_samples() {
  return {{{normal({3, 4})}}, {{normal({2, 1, 5})}}, {{normal({})}}, {{normal({0, 3})}}};
}
Samples positive_samples() { return {{{positive({3, 4})}}, {{positive({17})}}, {{positive({})}}}; }
Samples unit_samples() { return {{{unit({3, 4})}}, {{unit({17})}}, {{unit({})}}}; }
Samples above_one_samples() { return {{{between({3, 4}, 1.1, 5)}}, {{between({}, 1.1, 5)}}}; }

// d sinc = (pi x cos(pi x) - sin(pi x)) / (pi x^2), 0 at 0
Tensor sinc_gradient(VjpCall& c) {
  const Tensor x = c.input(0), y = mul(x, kPi);
  const Tensor slope = div(sub(mul(y, cos(y)), sin(y)), mul(y, x));
  return where(eq(x, 0.0), Record::zero_of(c.grad()), mul(c.grad(), slope));
}

constinit const Op kExp = Record::unary<Transcendental::kExp>(
    "exp", [](VjpCall& c) { c.set(0, mul(c.grad(), c.output())); }, kY, any_samples);
constinit const Op kExp2 = Record::unary<Transcendental::kExp2>(
    "exp2", [](VjpCall& c) { c.set(0, mul(c.grad(), mul(c.output(), kLn2))); }, kY, any_samples);
constinit const Op kExpm1 = Record::unary<Transcendental::kExpm1>(
    "expm1", [](VjpCall& c) { c.set(0, mul(c.grad(), add(c.output(), 1.0))); }, kY, any_samples);
constinit const Op kLog = Record::unary<Transcendental::kLog>(
    "log", [](VjpCall& c) { c.set(0, div(c.grad(), c.input(0))); }, kX, positive_samples);
constinit const Op kLog2 = Record::unary<Transcendental::kLog2>(
    "log2", [](VjpCall& c) { c.set(0, div(c.grad(), mul(c.input(0), kLn2))); }, kX,
    positive_samples);
constinit const Op kLog10 = Record::unary<Transcendental::kLog10>(
    "log10", [](VjpCall& c) { c.set(0, div(c.grad(), mul(c.input(0), kLn10))); }, kX,
    positive_samples);
constinit const Op kLog1p = Record::unary<Transcendental::kLog1p>(
    "log1p", [](VjpCall& c) { c.set(0, div(c.grad(), add(c.input(0), 1.0))); }, kX,
    positive_samples);
constinit const Op kSigmoid = Record::unary<Transcendental::kSigmoid>(
    "sigmoid", [](VjpCall& c) { c.set(0, sigmoid_backward(c.grad(), c.output())); }, kY,
    any_samples);
constinit const Op kTanh = Record::unary<Transcendental::kTanh>(
    "tanh", [](VjpCall& c) { c.set(0, tanh_backward(c.grad(), c.output())); }, kY, any_samples);
constinit const Op kSinh = Record::unary<Transcendental::kSinh>(
    "sinh", [](VjpCall& c) { c.set(0, mul(c.grad(), cosh(c.input(0)))); }, kX, any_samples);
constinit const Op kCosh = Record::unary<Transcendental::kCosh>(
    "cosh", [](VjpCall& c) { c.set(0, mul(c.grad(), sinh(c.input(0)))); }, kX, any_samples);
constinit const Op kAsinh = Record::unary<Transcendental::kAsinh>(
    "asinh", [](VjpCall& c) { c.set(0, mul(c.grad(), rsqrt(add(square(c.input(0)), 1.0)))); }, kX,
    any_samples);
constinit const Op kAcosh = Record::unary<Transcendental::kAcosh>(
    "acosh", [](VjpCall& c) { c.set(0, mul(c.grad(), rsqrt(sub(square(c.input(0)), 1.0)))); }, kX,
    above_one_samples);
constinit const Op kAtanh = Record::unary<Transcendental::kAtanh>(
    "atanh", [](VjpCall& c) { c.set(0, div(c.grad(), sub(1.0, square(c.input(0))))); }, kX,
    unit_samples);
constinit const Op kSin = Record::unary<Transcendental::kSin>(
    "sin", [](VjpCall& c) { c.set(0, mul(c.grad(), cos(c.input(0)))); }, kX, any_samples);
constinit const Op kCos = Record::unary<Transcendental::kCos>(
    "cos", [](VjpCall& c) { c.set(0, neg(mul(c.grad(), sin(c.input(0))))); }, kX, any_samples);
constinit const Op kTan = Record::unary<Transcendental::kTan>(
    "tan", [](VjpCall& c) { c.set(0, mul(c.grad(), add(square(c.output()), 1.0))); }, kY,
    unit_samples);
constinit const Op kAsin = Record::unary<Transcendental::kAsin>(
    "asin", [](VjpCall& c) { c.set(0, mul(c.grad(), rsqrt(sub(1.0, square(c.input(0)))))); }, kX,
    unit_samples);
constinit const Op kAcos = Record::unary<Transcendental::kAcos>(
    "acos", [](VjpCall& c) { c.set(0, neg(mul(c.grad(), rsqrt(sub(1.0, square(c.input(0))))))); },
    kX, unit_samples);
constinit const Op kAtan = Record::unary<Transcendental::kAtan>(
    "atan", [](VjpCall& c) { c.set(0, div(c.grad(), add(square(c.input(0)), 1.0))); }, kX,
    any_samples);
constinit const Op kSinc = Record::unary<Transcendental::kSinc>(
    "sinc", [](VjpCall& c) { c.set(0, sinc_gradient(c)); }, kX, any_samples);

constexpr auto kFloating = Elementwise::kFloating;

}  // namespace

Tensor exp(const Tensor& self) { return Elementwise::call(kExp, kFloating, self); }
Tensor exp2(const Tensor& self) { return Elementwise::call(kExp2, kFloating, self); }
Tensor expm1(const Tensor& self) { return Elementwise::call(kExpm1, kFloating, self); }
Tensor log(const Tensor& self) { return Elementwise::call(kLog, kFloating, self); }
Tensor log2(const Tensor& self) { return Elementwise::call(kLog2, kFloating, self); }
Tensor log10(const Tensor& self) { return Elementwise::call(kLog10, kFloating, self); }
Tensor log1p(const Tensor& self) { return Elementwise::call(kLog1p, kFloating, self); }
Tensor sigmoid(const Tensor& self) { return Elementwise::call(kSigmoid, kFloating, self); }
Tensor tanh(const Tensor& self) { return Elementwise::call(kTanh, kFloating, self); }
Tensor sinh(const Tensor& self) { return Elementwise::call(kSinh, kFloating, self); }
Tensor cosh(const Tensor& self) { return Elementwise::call(kCosh, kFloating, self); }
Tensor asinh(const Tensor& self) { return Elementwise::call(kAsinh, kFloating, self); }
Tensor acosh(const Tensor& self) { return Elementwise::call(kAcosh, kFloating, self); }
Tensor atanh(const Tensor& self) { return Elementwise::call(kAtanh, kFloating, self); }
Tensor sin(const Tensor& self) { return Elementwise::call(kSin, kFloating, self); }
Tensor cos(const Tensor& self) { return Elementwise::call(kCos, kFloating, self); }
Tensor tan(const Tensor& self) { return Elementwise::call(kTan, kFloating, self); }
Tensor asin(const Tensor& self) { return Elementwise::call(kAsin, kFloating, self); }
Tensor acos(const Tensor& self) { return Elementwise::call(kAcos, kFloating, self); }
Tensor atan(const Tensor& self) { return Elementwise::call(kAtan, kFloating, self); }
Tensor sinc(const Tensor& self) { return Elementwise::call(kSinc, kFloating, self); }

Tensor arccos(const Tensor& self) { return acos(self); }
Tensor arcsin(const Tensor& self) { return asin(self); }
Tensor arctan(const Tensor& self) { return atan(self); }
Tensor arccosh(const Tensor& self) { return acosh(self); }
Tensor arcsinh(const Tensor& self) { return asinh(self); }
Tensor arctanh(const Tensor& self) { return atanh(self); }
Tensor special_exp2(const Tensor& self) { return exp2(self); }
Tensor special_expm1(const Tensor& self) { return expm1(self); }
Tensor special_log1p(const Tensor& self) { return log1p(self); }
Tensor special_expit(const Tensor& self) { return sigmoid(self); }
Tensor special_sinc(const Tensor& self) { return sinc(self); }

const Tensor& exp_(const Tensor& self) { return Elementwise::call_(kExp, kFloating, self); }
const Tensor& exp2_(const Tensor& self) { return Elementwise::call_(kExp2, kFloating, self); }
const Tensor& expm1_(const Tensor& self) { return Elementwise::call_(kExpm1, kFloating, self); }
const Tensor& log_(const Tensor& self) { return Elementwise::call_(kLog, kFloating, self); }
const Tensor& log2_(const Tensor& self) { return Elementwise::call_(kLog2, kFloating, self); }
const Tensor& log10_(const Tensor& self) { return Elementwise::call_(kLog10, kFloating, self); }
const Tensor& log1p_(const Tensor& self) { return Elementwise::call_(kLog1p, kFloating, self); }
const Tensor& sigmoid_(const Tensor& self) { return Elementwise::call_(kSigmoid, kFloating, self); }
const Tensor& tanh_(const Tensor& self) { return Elementwise::call_(kTanh, kFloating, self); }
const Tensor& sinh_(const Tensor& self) { return Elementwise::call_(kSinh, kFloating, self); }
const Tensor& cosh_(const Tensor& self) { return Elementwise::call_(kCosh, kFloating, self); }
const Tensor& asinh_(const Tensor& self) { return Elementwise::call_(kAsinh, kFloating, self); }
const Tensor& acosh_(const Tensor& self) { return Elementwise::call_(kAcosh, kFloating, self); }
const Tensor& atanh_(const Tensor& self) { return Elementwise::call_(kAtanh, kFloating, self); }
const Tensor& sin_(const Tensor& self) { return Elementwise::call_(kSin, kFloating, self); }
const Tensor& cos_(const Tensor& self) { return Elementwise::call_(kCos, kFloating, self); }
const Tensor& tan_(const Tensor& self) { return Elementwise::call_(kTan, kFloating, self); }
const Tensor& asin_(const Tensor& self) { return Elementwise::call_(kAsin, kFloating, self); }
const Tensor& acos_(const Tensor& self) { return Elementwise::call_(kAcos, kFloating, self); }
const Tensor& atan_(const Tensor& self) { return Elementwise::call_(kAtan, kFloating, self); }
const Tensor& sinc_(const Tensor& self) { return Elementwise::call_(kSinc, kFloating, self); }
const Tensor& arccos_(const Tensor& self) { return acos_(self); }
const Tensor& arcsin_(const Tensor& self) { return asin_(self); }
const Tensor& arctan_(const Tensor& self) { return atan_(self); }
const Tensor& arccosh_(const Tensor& self) { return acosh_(self); }
const Tensor& arcsinh_(const Tensor& self) { return asinh_(self); }
const Tensor& arctanh_(const Tensor& self) { return atanh_(self); }

OA_OP(transcendental, &kExp, &kExp2, &kExpm1, &kLog, &kLog2, &kLog10, &kLog1p, &kSigmoid, &kTanh,
      &kSinh, &kCosh, &kAsinh, &kAcosh, &kAtanh, &kSin, &kCos, &kTan, &kAsin, &kAcos, &kAtan,
      &kSinc)

}  // namespace oneagent
