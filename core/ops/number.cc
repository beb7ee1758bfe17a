#include "core/ops/number.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/transcendental.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_record.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Unary;
constexpr auto kAny = Elementwise::kAny;
constexpr auto kFloating = Elementwise::kFloating;

Attrs attrs_of(Scalar value) { return Record::attrs_of(value); }

Samples any_samples() {
  return {{{normal({3, 4})}, attrs_of(1.5)},
          {{normal({})}, attrs_of(-2.0)},
          {{normal({0, 2})}, attrs_of(3.0)}};
}
Samples positive_samples() {
  return {{{positive({3, 4})}, attrs_of(1.5)}, {{positive({7})}, attrs_of(-2.0)}};
}
Samples elu_samples() {
  return {{{normal({3, 4})}, attrs_of(1.0)},
          {{normal({5})}, attrs_of(0.5)},
          {{normal({})}, attrs_of(2.0)}};
}

double number_of(const VjpCall& call) { return call.attrs().number(0); }

void add_vjp(VjpCall& call) { call.set(0, call.grad()); }
void mul_vjp(VjpCall& call) { call.set(0, mul(call.grad(), number_of(call))); }
void div_vjp(VjpCall& call) { call.set(0, div(call.grad(), number_of(call))); }
void reverse_sub_vjp(VjpCall& call) { call.set(0, neg(call.grad())); }
void reverse_div_vjp(VjpCall& call) {
  call.set(0, neg(mul(call.grad(), div(call.output(), call.input(0)))));
}
void pow_vjp(VjpCall& call) {
  const double exponent = number_of(call);
  if (exponent == 0.0) return Record::zero(call);
  call.set(0, mul(call.grad(), mul(pow(call.input(0), exponent - 1), exponent)));
}
void elu_vjp(VjpCall& call) {
  call.set(0, elu_backward(call.grad(), call.output(), number_of(call)));
}

// Powers that have a quicker form, as in PyTorch.
void pow_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const DType dtype = in[0].scalar_type();
  const double exponent = attrs.number(0);
  const auto as = [&](Unary function) { run_unary(stream, function, out[0], in[0]); };
  if (exponent == 1.0 && is_floating(dtype)) {  // a loop like the others, to be joined with them
    cpu::Params one;
    one.number[0] = 1;
    return run_unary(stream, Unary::kMulNumber, out[0], in[0], one);
  }
  if (exponent == 2.0) return as(Unary::kSquare);
  if (exponent == 3.0) return as(Unary::kCube);
  if (!is_floating(dtype)) return Record::kernel<Unary::kPowNumber>(stream, attrs, in, out);
  if (exponent == 0.5) return as(Unary::kSqrt);
  if (exponent == -0.5) return as(Unary::kRsqrt);
  if (exponent == -1.0) return as(Unary::kReciprocal);
  if (exponent == -2.0) return as(Unary::kReciprocalSquare);
  const Tensor* operands[] = {&out[0], &in[0]};
  run_loop(stream, "pow", cpu::power(dtype), operands, Record::params_of(attrs));
}
constexpr Op pow_record() {
  Op op = Record::unary<Unary::kPowNumber>("pow_number", pow_vjp, Record::kX, positive_samples,
                                           Record::kOneNumber);
  op.kernels[0] = pow_kernel;
  return op;
}

template <Unary F>
constexpr Op number_op(const char* name, Record::Vjp vjp, uint32_t saves, uint32_t linear,
                       Record::MakeSamples samples) {
  return Record::unary<F>(name, vjp, saves, samples, Record::kOneNumber, linear);
}
constinit const Op kAddNumber =
    number_op<Unary::kAddNumber>("add_number", add_vjp, 0, 0, any_samples);
constinit const Op kMulNumber =
    number_op<Unary::kMulNumber>("mul_number", mul_vjp, 0, 1, any_samples);
constinit const Op kDivNumber =
    number_op<Unary::kDivNumber>("div_number", div_vjp, 0, 1, any_samples);
constinit const Op kReverseSub =
    number_op<Unary::kReverseSub>("reverse_sub_number", reverse_sub_vjp, 0, 0, any_samples);
constinit const Op kReverseDiv = number_op<Unary::kReverseDiv>(
    "reverse_div_number", reverse_div_vjp, Record::kX | Record::kY, 0, positive_samples);
constinit const Op kPowNumber = pow_record();
constinit const Op kElu = number_op<Unary::kElu>("elu", elu_vjp, Record::kY, 0, elu_samples);

void elu_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, elu_backward(call.grad(), call.input(1), number_of(call)));
  if (!call.needs(1)) return;
  const Tensor both = mul(call.grad(), call.input(0));
  call.set(1, where(gt(call.input(1), 0.0), mul(both, 0.0), both));
}
constinit const Op kEluBackward = Record::binary<cpu::Binary::kEluGrad>(
    "elu_backward", elu_backward_vjp, Record::kBoth,
    [] {
      return Samples{{{normal({3, 4}), unit({3, 4})}, attrs_of(1.0)}};
    },
    Record::kOneNumber, 1);

// A complex number is a tensor like others.
Tensor call_complex(const Op& op, const Tensor& x, Scalar value) {
  const DType dtype = result_type(x, value);
  const Tensor z = to(x, dtype), number = wrapped_scalar(value, dtype);
  if (&op == &kAddNumber) return add(z, number);
  if (&op == &kMulNumber) return mul(z, number);
  if (&op == &kDivNumber) return div(z, number);
  if (&op == &kReverseSub) return sub(number, z);
  if (&op == &kReverseDiv) return div(number, z);
  OA_REQUIRE(&op == &kPowNumber, op.name, ": takes no complex number");
  return pow(z, number);
}

// The tensor in the type of the result.
Tensor call_number(const Op& op, const Tensor& x, Scalar value, Elementwise::Kind kind = kAny) {
  if (value.is_complex()) [[unlikely]]
    return call_complex(op, x, value);
  if (x.is_floating_point()) return call_op(op, {&x}, attrs_of(value));
  const DType dtype = Elementwise::type_of(kind, x, value);
  if (x.scalar_type() == dtype) return call_op(op, {&x}, attrs_of(value));
  const Tensor converted = to(x, dtype);
  return call_op(op, {&converted}, attrs_of(value));
}

const Tensor& call_number_(const Op& op, const Tensor& self, Scalar value,
                           Elementwise::Kind kind = kAny) {
  if (value.is_complex()) [[unlikely]]
    return Elementwise::store(op.name, self, call_complex(op, self, value));
  if (!self.is_floating_point()) {
    const DType dtype = Elementwise::type_of(kind, self, value);
    Elementwise::require_storable(op.name, dtype, self);
  }
  return call_in_place(op, {&self}, attrs_of(value));
}

Scalar product(const char* op, const Tensor& self, Scalar a, Scalar alpha) {
  if (a.is_complex() || alpha.is_complex()) [[unlikely]]
    return a.toComplexDouble() * alpha.toComplexDouble();
  OA_REQUIRE(
      has_gradient(self.dtype()) || a.is_floating() || !alpha.is_floating(), op,
      ": For integral input tensors, argument alpha must not be a floating point number, was ",
      alpha);
  OA_REQUIRE(!alpha.isBoolean() || (self.dtype() == DType::kBool && a.isBoolean()), op,
             ": a bool alpha needs a bool result");
  require_factor(alpha, self.scalar_type());
  if (a.is_floating() || alpha.is_floating()) return a.number() * alpha.number();
  if (alpha.wrapped_to<int64_t>() == 1) return a;
  return a.wrapped_to<int64_t>() * alpha.wrapped_to<int64_t>();
}
Scalar negated(Scalar value) {
  if (value.is_complex()) return -value;
  return value.is_floating() ? Scalar(-value.number()) : Scalar(-value.wrapped_to<int64_t>());
}
bool both_bool(const Tensor& x, Scalar value) {
  return x.scalar_type() == DType::kBool && value.kind() == DType::kBool;
}
void require_no_bool(const char* op, const Tensor& self) {
  OA_REQUIRE(
      self.scalar_type() != DType::kBool, op,
      ": Subtraction, the `-` operator, with a bool tensor is not supported; use logical_xor() or "
      "logical_not()");
}
void check_power(const Tensor& self, Scalar exponent) {
  OA_REQUIRE(has_gradient(self.dtype()) || has_gradient(exponent.kind()) || exponent.integer() >= 0,
             "pow: Integers to negative integer powers are not allowed, was ", exponent);
}
void require_double(const Tensor& self) {
  OA_REQUIRE(self.scalar_type() == DType::kFloat64, "float_power_: needs float64, was ",
             name_of(self.scalar_type()));
}

}  // namespace

Tensor add(const Tensor& self, Scalar other, Scalar alpha) {
  const Scalar value = product("add", self, other, alpha);
  if (both_bool(self, value)) return add(self, wrapped_scalar(value, DType::kBool));
  return call_number(kAddNumber, self, value);
}
Tensor add(Scalar number, const Tensor& other) { return add(other, number); }
Tensor sub(const Tensor& self, Scalar other, Scalar alpha) {
  require_no_bool("sub", self);
  return call_number(kAddNumber, self, negated(product("sub", self, other, alpha)));
}
Tensor sub(Scalar number, const Tensor& other) {
  require_no_bool("sub", other);
  if (number.is_floating() && !has_gradient(other.scalar_type())) {  // takes the tensor's type
    require_fits(number, other.scalar_type());
    number = number.wrapped_to<int64_t>();
  }
  return call_number(kReverseSub, other, number);
}
Tensor subtract(const Tensor& self, Scalar other, Scalar alpha) { return sub(self, other, alpha); }
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha) {
  require_no_bool("rsub", self);
  OA_REQUIRE(!alpha.isBoolean(), "rsub: a bool alpha needs a bool result");
  require_factor(alpha, self.scalar_type());
  return call_number(kReverseSub, alpha.number() == 1.0 ? self : mul(self, alpha), other);
}
Tensor mul(const Tensor& self, Scalar other) {
  if (both_bool(self, other)) return mul(self, wrapped_scalar(other, DType::kBool));
  return call_number(kMulNumber, self, other);
}
Tensor mul(Scalar number, const Tensor& other) { return mul(other, number); }
Tensor multiply(const Tensor& self, Scalar other) { return mul(self, other); }
Tensor div(const Tensor& self, Scalar other) {
  return call_number(kDivNumber, self, other, kFloating);
}
Tensor div(Scalar number, const Tensor& other) {
  return call_number(kReverseDiv, other, number, kFloating);
}
Tensor divide(const Tensor& self, Scalar other) { return div(self, other); }
Tensor true_divide(const Tensor& self, Scalar other) { return div(self, other); }
Tensor pow(const Tensor& self, Scalar exponent) {
  check_power(self, exponent);
  if (exponent.number() == 2.0 && self.is_floating_point() && !exponent.is_complex())
    return square(self);
  return call_number(kPowNumber, self, exponent);
}
Tensor pow(Scalar number, const Tensor& exponent) {
  return pow(wrapped_scalar(number, Elementwise::type_of(kAny, exponent, number)), exponent);
}
Tensor float_power(const Tensor& self, Scalar exponent) {
  return pow(to(self, DType::kFloat64), exponent.number());
}
Tensor float_power(Scalar number, const Tensor& exponent) {
  return pow(number.number(), to(exponent, DType::kFloat64));
}
Tensor copysign(const Tensor& self, Scalar other) {
  return copysign(self, wrapped_scalar(other, Elementwise::type_of(kFloating, self, other)));
}
Tensor elu_backward(const Tensor& gradient, const Tensor& y, Scalar alpha) {
  return call_op(kEluBackward, {&gradient, &y}, attrs_of(alpha));
}

const Tensor& add_(const Tensor& self, Scalar other, Scalar alpha) {
  const Scalar value = product("add_", self, other, alpha);
  if (both_bool(self, value)) return add_(self, wrapped_scalar(value, DType::kBool));
  return call_number_(kAddNumber, self, value);
}
const Tensor& sub_(const Tensor& self, Scalar other, Scalar alpha) {
  require_no_bool("sub_", self);
  return call_number_(kAddNumber, self, negated(product("sub_", self, other, alpha)));
}
const Tensor& subtract_(const Tensor& self, Scalar other, Scalar alpha) {
  return sub_(self, other, alpha);
}
const Tensor& mul_(const Tensor& self, Scalar other) {
  if (both_bool(self, other)) return mul_(self, wrapped_scalar(other, DType::kBool));
  return call_number_(kMulNumber, self, other);
}
const Tensor& multiply_(const Tensor& self, Scalar other) { return mul_(self, other); }
const Tensor& div_(const Tensor& self, Scalar other) {
  return call_number_(kDivNumber, self, other, kFloating);
}
const Tensor& divide_(const Tensor& self, Scalar other) { return div_(self, other); }
const Tensor& true_divide_(const Tensor& self, Scalar other) { return div_(self, other); }
const Tensor& pow_(const Tensor& self, Scalar exponent) {
  check_power(self, exponent);
  return call_number_(kPowNumber, self, exponent);
}
const Tensor& float_power_(const Tensor& self, Scalar exponent) {
  return require_double(self), pow_(self, exponent);
}
const Tensor& copysign_(const Tensor& self, Scalar other) {
  return copysign_(self, wrapped_scalar(other, Elementwise::type_of(kFloating, self, other)));
}

OA_OP(number, &kAddNumber, &kMulNumber, &kDivNumber, &kReverseSub, &kReverseDiv, &kPowNumber, &kElu,
      &kEluBackward)

}  // namespace oneagent
