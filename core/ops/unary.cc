#include "core/ops/unary.h"

#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Unary;

Samples any_samples() {
  return {{{normal({3, 4})}}, {{normal({2, 1, 5})}}, {{normal({})}}, {{normal({0, 3})}}};
}
Samples positive_samples() { return {{{positive({3, 4})}}, {{positive({17})}}, {{positive({})}}}; }

constexpr uint32_t kX = Record::kX, kY = Record::kY;

constinit const Op kNeg = Record::unary<Unary::kNeg>(
    "neg", [](VjpCall& c) { c.set(0, neg(c.grad())); }, 0, any_samples, {}, 1);
constinit const Op kAbs = Record::unary<Unary::kAbs>(
    "abs", [](VjpCall& c) { c.set(0, mul(c.grad(), sign(c.input(0)))); }, kX, any_samples);
constinit const Op kSign = Record::unary<Unary::kSign>("sign", Record::zero, 0, any_samples);
constinit const Op kSquare = Record::unary<Unary::kSquare>(
    "square", [](VjpCall& c) { c.set(0, mul(c.grad(), mul(c.input(0), 2.0))); }, kX, any_samples);
constinit const Op kSqrt = Record::unary<Unary::kSqrt>(
    "sqrt", [](VjpCall& c) { c.set(0, div(c.grad(), mul(c.output(), 2.0))); }, kY,
    positive_samples);
constinit const Op kRsqrt = Record::unary<Unary::kRsqrt>(
    "rsqrt",
    [](VjpCall& c) { c.set(0, mul(mul(c.grad(), -0.5), mul(c.output(), square(c.output())))); }, kY,
    positive_samples);
constinit const Op kReciprocal = Record::unary<Unary::kReciprocal>(
    "reciprocal", [](VjpCall& c) { c.set(0, neg(mul(c.grad(), square(c.output())))); }, kY,
    positive_samples);
constinit const Op kRelu = Record::unary<Unary::kRelu>(
    "relu", [](VjpCall& c) { c.set(0, relu_backward(c.grad(), c.output())); }, kY, any_samples);
constinit const Op kGelu = Record::unary<Unary::kGelu>(
    "gelu", [](VjpCall& c) { c.set(0, gelu_backward(c.grad(), c.input(0))); }, kX, any_samples);
constinit const Op kSoftplus = Record::unary<Unary::kSoftplus>(
    "softplus", [](VjpCall& c) { c.set(0, softplus_backward(c.grad(), c.input(0))); }, kX,
    any_samples);
constinit const Op kFloor = Record::unary<Unary::kFloor>("floor", Record::zero, 0, any_samples);
constinit const Op kCeil = Record::unary<Unary::kCeil>("ceil", Record::zero, 0, any_samples);
constinit const Op kRound = Record::unary<Unary::kRound>("round", Record::zero, 0, any_samples);
constinit const Op kTrunc = Record::unary<Unary::kTrunc>("trunc", Record::zero, 0, any_samples);
constinit const Op kFrac = Record::unary<Unary::kFrac>(
    "frac", [](VjpCall& c) { c.set(0, c.grad()); }, 0, any_samples);
constinit const Op kAngle = Record::unary<Unary::kAngle>("angle", Record::zero, 0, any_samples);

constexpr AttrSpec kDecimals[] = {{"scale", AttrKind::kNumber}, {"divides", AttrKind::kInt}};
constinit const Op kRoundDecimals = Record::unary<Unary::kRoundDecimals>(
    "round_decimals", Record::zero, 0,
    [] {
      return Samples{{{normal({3, 4})}, Attrs().add(100.0).add(0)},
                     {{between({5}, 0, 500)}, Attrs().add(10.0).add(1)}};
    },
    kDecimals);

constexpr AttrSpec kReplacements[] = {
    {"nan", AttrKind::kNumber},    {"nan_integer", AttrKind::kInt},
    {"posinf", AttrKind::kNumber}, {"posinf_integer", AttrKind::kInt},
    {"neginf", AttrKind::kNumber}, {"neginf_integer", AttrKind::kInt}};
constinit const Op kNanToNum = Record::unary<Unary::kNanToNum>(
    "nan_to_num",
    [](VjpCall& c) { c.set(0, where(isfinite(c.input(0)), c.grad(), Record::zero_of(c.grad()))); },
    kX,
    [] {
      const Attrs attrs = Attrs().add(1.0).add(0).add(2.0).add(0).add(3.0).add(0);
      return Samples{{{normal({3, 4})}, attrs}, {{normal({})}, attrs}};
    },
    kReplacements);

Attrs replacements(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                   std::optional<double> neginf) {
  double limit = 0;
  if (self.scalar_type() == DType::kFloat32) limit = std::numeric_limits<float>::max();
  if (self.scalar_type() == DType::kFloat64) limit = std::numeric_limits<double>::max();
  if (self.scalar_type() == DType::kFloat16) limit = 65504.0;
  if (self.scalar_type() == DType::kBFloat16) limit = 0x1.FEp127;
  Attrs attrs;
  for (const double value : {nan.value_or(0.0), posinf.value_or(limit), neginf.value_or(-limit)})
    attrs.add(value).add(0);
  return attrs;
}

Attrs decimals_attrs(const Tensor& self, int64_t decimals) {
  OA_REQUIRE(self.is_floating_point(), "round: decimals need a floating tensor, was ",
             name_of(self.scalar_type()));
  return Attrs()
      .add(std::pow(10.0, static_cast<double>(std::abs(decimals))))
      .add(decimals < 0 ? 1 : 0);
}

constexpr auto kFloating = Elementwise::kFloating;

void require_number(const char* op, const Tensor& self) {
  OA_REQUIRE(self.scalar_type() != DType::kBool, op, ": has no meaning for bool");
}
// Whole numbers stay as they are.
Tensor rounded(const Op& op, const Tensor& self) {
  if (self.defined()) require_number(op.name, self);
  return is_integral(self.dtype(), true) ? clone(self) : call_op(op, {&self});
}
const Tensor& rounded_(const Op& op, const Tensor& self) {
  if (self.defined()) require_number(op.name, self);
  return is_integral(self.dtype(), true) ? self : call_in_place(op, {&self});
}

}  // namespace

Tensor neg(const Tensor& self) { return require_number("neg", self), call_op(kNeg, {&self}); }
Tensor negative(const Tensor& self) { return neg(self); }
Tensor abs(const Tensor& self) { return call_op(kAbs, {&self}); }
Tensor absolute(const Tensor& self) { return abs(self); }
Tensor sign(const Tensor& self) { return call_op(kSign, {&self}); }
Tensor sgn(const Tensor& self) { return sign(self); }
Tensor positive(const Tensor& self) { return require_number("positive", self), self; }
Tensor square(const Tensor& self) {
  return self.scalar_type() == DType::kBool ? pow(self, 2) : call_op(kSquare, {&self});
}
Tensor sqrt(const Tensor& self) { return Elementwise::call(kSqrt, kFloating, self); }
Tensor rsqrt(const Tensor& self) { return Elementwise::call(kRsqrt, kFloating, self); }
Tensor reciprocal(const Tensor& self) { return Elementwise::call(kReciprocal, kFloating, self); }
Tensor relu(const Tensor& self) { return require_number("relu", self), call_op(kRelu, {&self}); }
Tensor floor(const Tensor& self) { return rounded(kFloor, self); }
Tensor ceil(const Tensor& self) { return rounded(kCeil, self); }
Tensor round(const Tensor& self) { return rounded(kRound, self); }
Tensor round(const Tensor& self, int64_t decimals) {
  return call_op(kRoundDecimals, {&self}, decimals_attrs(self, decimals));
}
Tensor trunc(const Tensor& self) { return rounded(kTrunc, self); }
Tensor fix(const Tensor& self) { return trunc(self); }
Tensor frac(const Tensor& self) { return call_op(kFrac, {&self}); }
Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (is_integral(self.dtype(), true)) return clone(self);
  return call_op(kNanToNum, {&self}, replacements(self, nan, posinf, neginf));
}
Tensor deg2rad(const Tensor& self) { return mul(self, 0.017453292519943295769236907684886); }
Tensor rad2deg(const Tensor& self) { return mul(self, 57.295779513082320876798154814105); }
Tensor angle(const Tensor& self) { return Elementwise::call(kAngle, kFloating, self); }

const Tensor& neg_(const Tensor& self) {
  return require_number("neg", self), call_in_place(kNeg, {&self});
}
const Tensor& negative_(const Tensor& self) { return neg_(self); }
const Tensor& abs_(const Tensor& self) { return call_in_place(kAbs, {&self}); }
const Tensor& absolute_(const Tensor& self) { return abs_(self); }
const Tensor& sign_(const Tensor& self) { return call_in_place(kSign, {&self}); }
const Tensor& sgn_(const Tensor& self) { return sign_(self); }
const Tensor& square_(const Tensor& self) {
  return require_number("square", self), call_in_place(kSquare, {&self});
}
const Tensor& sqrt_(const Tensor& self) { return Elementwise::call_(kSqrt, kFloating, self); }
const Tensor& rsqrt_(const Tensor& self) { return Elementwise::call_(kRsqrt, kFloating, self); }
const Tensor& reciprocal_(const Tensor& self) {
  return Elementwise::call_(kReciprocal, kFloating, self);
}
const Tensor& relu_(const Tensor& self) {
  return require_number("relu", self), call_in_place(kRelu, {&self});
}
const Tensor& floor_(const Tensor& self) { return rounded_(kFloor, self); }
const Tensor& ceil_(const Tensor& self) { return rounded_(kCeil, self); }
const Tensor& round_(const Tensor& self) { return rounded_(kRound, self); }
const Tensor& round_(const Tensor& self, int64_t decimals) {
  return call_in_place(kRoundDecimals, {&self}, decimals_attrs(self, decimals));
}
const Tensor& trunc_(const Tensor& self) { return rounded_(kTrunc, self); }
const Tensor& fix_(const Tensor& self) { return trunc_(self); }
const Tensor& frac_(const Tensor& self) { return call_in_place(kFrac, {&self}); }
const Tensor& nan_to_num_(const Tensor& self, std::optional<double> nan,
                          std::optional<double> posinf, std::optional<double> neginf) {
  if (is_integral(self.dtype(), true)) return self;
  return call_in_place(kNanToNum, {&self}, replacements(self, nan, posinf, neginf));
}
const Tensor& deg2rad_(const Tensor& self) {
  return mul_(self, 0.017453292519943295769236907684886);
}
const Tensor& rad2deg_(const Tensor& self) { return mul_(self, 57.295779513082320876798154814105); }

OA_OP(unary, &kNeg, &kAbs, &kSign, &kSquare, &kSqrt, &kRsqrt, &kReciprocal, &kRelu, &kGelu,
      &kSoftplus, &kFloor, &kCeil, &kRound, &kTrunc, &kFrac, &kAngle, &kRoundDecimals, &kNanToNum)

}  // namespace oneagent
