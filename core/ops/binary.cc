#include "core/ops/binary.h"

#include "core/kernels/cpu/transcendental.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Binary;
using cpu::Transcendental2;
constexpr uint32_t kBoth = Record::kBoth;
constexpr auto kAny = Elementwise::kAny;
constexpr auto kFloating = Elementwise::kFloating;

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
Samples pow_samples() {
  Samples samples = positive_samples();
  samples.push_back({{ints({6}, -3, 4), ints({6}, 0, 5)}});
  return samples;
}

void set(VjpCall& c, size_t i, const Tensor& gradient) { Record::set(c, i, gradient); }

void add_vjp(VjpCall& c) {
  for (const size_t i : {0, 1})
    if (c.needs(i)) set(c, i, c.grad());
}
void add_scaled_vjp(VjpCall& c) {
  if (c.needs(0)) set(c, 0, c.grad());
  if (c.needs(1)) set(c, 1, mul(c.grad(), c.attrs().number(0)));
}
void sub_vjp(VjpCall& c) {
  if (c.needs(0)) set(c, 0, c.grad());
  if (c.needs(1)) set(c, 1, neg(c.grad()));
}
void mul_vjp(VjpCall& c) {
  if (c.needs(0)) set(c, 0, mul(c.grad(), c.input(1)));
  if (c.needs(1)) set(c, 1, mul(c.grad(), c.input(0)));
}
void div_vjp(VjpCall& c) {
  const Tensor scaled = div(c.grad(), c.input(1));
  if (c.needs(0)) set(c, 0, scaled);
  if (c.needs(1)) set(c, 1, neg(mul(scaled, div(c.input(0), c.input(1)))));
}
// 0 where the power is constant, so that 0 log(0) and 0 / 0 do not spread.
void pow_vjp(VjpCall& c) {
  const Tensor base = c.input(0), exponent = c.input(1);
  if (c.needs(0)) {
    const Tensor slope = mul(exponent, pow(base, sub(exponent, 1.0)));
    set(c, 0, where(eq(exponent, 0.0), Record::zero_of(c.grad()), mul(c.grad(), slope)));
  }
  if (c.needs(1)) {
    const Tensor constant = logical_and(eq(base, 0.0), ge(exponent, 0.0));
    const Tensor slope = mul(c.output(), log(base));
    set(c, 1, where(constant, Record::zero_of(c.grad()), mul(c.grad(), slope)));
  }
}
template <bool kLargest>
void extreme_vjp(VjpCall& c) {
  const Tensor a = c.input(0), b = c.input(1);
  const Tensor zero = Record::zero_of(c.grad());
  const Tensor tie = where(eq(a, b), mul(c.grad(), 0.5), zero);
  const Tensor first = kLargest ? gt(a, b) : lt(a, b);
  const Tensor second = kLargest ? lt(a, b) : gt(a, b);
  if (c.needs(0)) set(c, 0, add(where(first, c.grad(), zero), tie));
  if (c.needs(1)) set(c, 1, add(where(second, c.grad(), zero), tie));
}
template <bool kLargest>
void number_extreme_vjp(VjpCall& c) {
  const Tensor a = c.input(0), b = c.input(1);
  const Tensor first = logical_or(kLargest ? ge(a, b) : le(a, b), isnan(b));
  const Tensor zero = Record::zero_of(c.grad());
  if (c.needs(0)) set(c, 0, where(first, c.grad(), zero));
  if (c.needs(1)) set(c, 1, where(first, zero, c.grad()));
}
void atan2_vjp(VjpCall& c) {
  const Tensor y = c.input(0), x = c.input(1);
  const Tensor scaled = div(c.grad(), add(square(y), square(x)));
  if (c.needs(0)) set(c, 0, mul(scaled, x));
  if (c.needs(1)) set(c, 1, neg(mul(scaled, y)));
}
void hypot_vjp(VjpCall& c) {
  const Tensor scaled = div(c.grad(), c.output());
  if (c.needs(0)) set(c, 0, mul(scaled, c.input(0)));
  if (c.needs(1)) set(c, 1, mul(scaled, c.input(1)));
}
void copysign_vjp(VjpCall& c) {
  const Tensor zero = Record::zero_of(c.grad());
  if (c.needs(0)) {
    const Tensor x = c.input(0);
    set(c, 0, where(eq(x, 0.0), zero, mul(c.grad(), div(c.output(), x))));
  }
  if (c.needs(1)) set(c, 1, zero);
}

void pow_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (is_floating(in[0].scalar_type()))
    return Record::kernel<Transcendental2::kPow>(stream, attrs, in, out);
  Record::kernel<Binary::kPow>(stream, attrs, in, out);
}
constexpr Op pow_record() {
  Op op = Record::binary<Binary::kPow>("pow", pow_vjp, kBoth | Record::kY, pow_samples);
  op.kernels[0] = pow_kernel;
  return op;
}

constinit const Op kAdd =
    Record::binary<Binary::kAdd>("add", add_vjp, 0, broadcast_samples, {}, kTogether | 3);
constinit const Op kAddScaled = Record::binary<Binary::kAddScaled>(
    "add_scaled", add_scaled_vjp, 0,
    [] {
      return Samples{{{normal({3, 4}), normal({3, 4})}, Record::attrs_of(-0.5)},
                     {{normal({2, 3}), normal({})}, Record::attrs_of(3)},
                     {{ints({5}, 0, 9), ints({5}, 0, 9)}, Record::attrs_of(3)}};
    },
    Record::kOneNumber, kTogether | 3);
constinit const Op kSub =
    Record::binary<Binary::kSub>("sub", sub_vjp, 0, broadcast_samples, {}, kTogether | 3);
constinit const Op kMul =
    Record::binary<Binary::kMul>("mul", mul_vjp, kBoth, broadcast_samples, {}, 3);
constinit const Op kDiv =
    Record::binary<Binary::kDiv>("div", div_vjp, kBoth, positive_samples, {}, 1);
constinit const Op kPow = pow_record();
constinit const Op kMinimum =
    Record::binary<Binary::kMinimum>("minimum", extreme_vjp<false>, kBoth, distinct_samples);
constinit const Op kMaximum =
    Record::binary<Binary::kMaximum>("maximum", extreme_vjp<true>, kBoth, distinct_samples);
constinit const Op kFmin =
    Record::binary<Binary::kFmin>("fmin", number_extreme_vjp<false>, kBoth, distinct_samples);
constinit const Op kFmax =
    Record::binary<Binary::kFmax>("fmax", number_extreme_vjp<true>, kBoth, distinct_samples);
constinit const Op kAtan2 =
    Record::binary<Transcendental2::kAtan2>("atan2", atan2_vjp, kBoth, broadcast_samples);
constinit const Op kHypot = Record::binary<Transcendental2::kHypot>(
    "hypot", hypot_vjp, kBoth | Record::kY, broadcast_samples);
constinit const Op kCopysign = Record::binary<Binary::kCopysign>(
    "copysign", copysign_vjp, Record::kX | Record::kY, distinct_samples);
constinit const Op kNextafter =
    Record::binary<Binary::kNextafter>("nextafter", nullptr, 0, broadcast_samples);
constinit const Op kHeaviside = Record::binary<Binary::kHeaviside>("heaviside", nullptr, 0, [] {
  return Samples{{{normal({3, 4}), normal({3, 4})}}, {{ints({6}, -2, 3), ints({6}, 0, 9)}}};
});

bool is_one(Scalar alpha) { return alpha.isIntegral() && alpha.integer() == 1; }

void check_alpha(const char* op, DType dtype, Scalar alpha) {
  OA_REQUIRE(has_gradient(dtype) || !alpha.is_floating(), op,
             ": alpha must not be floating for integers, was ", alpha);
  OA_REQUIRE(dtype == DType::kBool || alpha.kind() != DType::kBool, op,
             ": a bool alpha needs a bool result");
  require_factor(alpha, dtype);
}
void require_no_bool(const char* op, const Tensor& a, const Tensor& b) {
  OA_REQUIRE(a.scalar_type() != DType::kBool && b.scalar_type() != DType::kBool, op,
             ": bool tensors cannot be subtracted; use logical_xor() or logical_not()");
}
Scalar negated(Scalar value) {
  if (value.is_complex()) return -value;
  return value.is_floating() ? Scalar(-value.number()) : Scalar(-value.wrapped_to<int64_t>());
}

void require_same_types(const char* op, const Tensor& a, const Tensor& b) {
  OA_REQUIRE(a.scalar_type() == b.scalar_type(), op, ": operands have types ",
             name_of(a.scalar_type()), " and ", name_of(b.scalar_type()));
}

}  // namespace

Tensor add(const Tensor& self, const Tensor& other, Scalar alpha) {
  if (is_one(alpha)) return Elementwise::call(kAdd, kAny, self, other);
  const DType dtype = Elementwise::type_of(kAny, self, other);
  if (alpha.is_complex()) return add(self, mul(other, alpha));
  check_alpha("add", dtype, alpha);
  if (dtype == DType::kBool)
    return add(self, alpha.wrapped_to<bool>() ? other : logical_xor(other, other));
  return Elementwise::call(kAddScaled, kAny, self, other, Record::attrs_of(alpha));
}
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha) {
  require_no_bool("sub", self, other);
  if (is_one(alpha)) return Elementwise::call(kSub, kAny, self, other);
  if (alpha.is_complex()) return sub(self, mul(other, alpha));
  check_alpha("sub", Elementwise::type_of(kAny, self, other), alpha);
  return Elementwise::call(kAddScaled, kAny, self, other, Record::attrs_of(negated(alpha)));
}
Tensor subtract(const Tensor& self, const Tensor& other, Scalar alpha) {
  return sub(self, other, alpha);
}
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha) {
  return sub(other, self, alpha);
}
Tensor mul(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kMul, kAny, self, other);
}
Tensor multiply(const Tensor& self, const Tensor& other) { return mul(self, other); }
Tensor div(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kDiv, kFloating, self, other);
}
Tensor divide(const Tensor& self, const Tensor& other) { return div(self, other); }
Tensor true_divide(const Tensor& self, const Tensor& other) { return div(self, other); }
Tensor pow(const Tensor& self, const Tensor& exponent) {
  return Elementwise::call(kPow, kAny, self, exponent);
}
Tensor float_power(const Tensor& self, const Tensor& exponent) {
  return pow(to(self, DType::kFloat64), to(exponent, DType::kFloat64));
}
Tensor minimum(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kMinimum, kAny, self, other);
}
Tensor maximum(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kMaximum, kAny, self, other);
}
Tensor fmin(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kFmin, kAny, self, other);
}
Tensor fmax(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kFmax, kAny, self, other);
}
Tensor atan2(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kAtan2, kFloating, self, other);
}
Tensor arctan2(const Tensor& self, const Tensor& other) { return atan2(self, other); }
Tensor hypot(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kHypot, kAny, self, other);
}
Tensor copysign(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kCopysign, kFloating, self, other);
}
Tensor nextafter(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kNextafter, kAny, self, other);
}
Tensor heaviside(const Tensor& self, const Tensor& values) {
  require_same_types("heaviside", self, values);
  if (self.dtype() == DType::kBool) return logical_or(self, values);
  return call_op(kHeaviside, {&self, &values});
}
Tensor ldexp(const Tensor& self, const Tensor& other) { return mul(self, exp2(other)); }

const Tensor& add_(const Tensor& self, const Tensor& other, Scalar alpha) {
  if (is_one(alpha)) return Elementwise::call_(kAdd, kAny, self, other);
  const DType dtype = Elementwise::type_of(kAny, self, other);
  if (alpha.is_complex()) return add_(self, mul(other, alpha));
  check_alpha("add_", dtype, alpha);
  if (dtype == DType::kBool) return Elementwise::store("add", self, add(self, other, alpha));
  return Elementwise::call_(kAddScaled, kAny, self, other, Record::attrs_of(alpha));
}
const Tensor& sub_(const Tensor& self, const Tensor& other, Scalar alpha) {
  require_no_bool("sub_", self, other);
  if (is_one(alpha)) return Elementwise::call_(kSub, kAny, self, other);
  if (alpha.is_complex()) return sub_(self, mul(other, alpha));
  check_alpha("sub_", Elementwise::type_of(kAny, self, other), alpha);
  return Elementwise::call_(kAddScaled, kAny, self, other, Record::attrs_of(negated(alpha)));
}
const Tensor& subtract_(const Tensor& self, const Tensor& other, Scalar alpha) {
  return sub_(self, other, alpha);
}
const Tensor& mul_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kMul, kAny, self, other);
}
const Tensor& multiply_(const Tensor& self, const Tensor& other) { return mul_(self, other); }
const Tensor& div_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kDiv, kFloating, self, other);
}
const Tensor& divide_(const Tensor& self, const Tensor& other) { return div_(self, other); }
const Tensor& true_divide_(const Tensor& self, const Tensor& other) { return div_(self, other); }
const Tensor& pow_(const Tensor& self, const Tensor& exponent) {
  return Elementwise::call_(kPow, kAny, self, exponent);
}
const Tensor& float_power_(const Tensor& self, const Tensor& exponent) {
  OA_REQUIRE(self.scalar_type() == DType::kFloat64, "float_power_: needs float64, was ",
             name_of(self.scalar_type()));
  return pow_(self, exponent);
}
const Tensor& atan2_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kAtan2, kFloating, self, other);
}
const Tensor& arctan2_(const Tensor& self, const Tensor& other) { return atan2_(self, other); }
const Tensor& hypot_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kHypot, kAny, self, other);
}
const Tensor& copysign_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kCopysign, kFloating, self, other);
}
const Tensor& nextafter_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kNextafter, kAny, self, other);
}
const Tensor& heaviside_(const Tensor& self, const Tensor& values) {
  require_same_types("heaviside_", self, values);
  if (self.dtype() == DType::kBool) return copy_(self, logical_or(self, values));
  return call_in_place(kHeaviside, {&self, &values});
}
const Tensor& ldexp_(const Tensor& self, const Tensor& other) {
  return mul_(self, pow(2.0, other));
}

OA_OP(binary, &kAdd, &kAddScaled, &kSub, &kMul, &kDiv, &kPow, &kMinimum, &kMaximum, &kFmin, &kFmax,
      &kAtan2, &kHypot, &kCopysign, &kNextafter, &kHeaviside)

}  // namespace oneagent
