#include "core/ops/number.h"

#include "core/kernels/elementwise.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

// A number travels in both kinds, so that large integers stay exact.
constexpr AttrSpec kOneNumber[] = {{"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}};
constexpr AttrSpec kTwoNumbers[] = {{"min", AttrKind::kNumber},
                                    {"min_integer", AttrKind::kInt},
                                    {"max", AttrKind::kNumber},
                                    {"max_integer", AttrKind::kInt}};

Attrs number_attrs(Scalar value) { return Attrs().add(value.number()).add(value.integer()); }

cpu::Params params_of(const Attrs& attrs) {
  cpu::Params params;
  for (size_t i = 0; 2 * i + 1 < attrs.size(); ++i) {
    params.number[i] = attrs.number(2 * i);
    params.integer[i] = attrs.integer(2 * i + 1);
  }
  return params;
}

void infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }

template <cpu::Unary F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_unary(stream, F, out[0], in[0], params_of(attrs));
}

Samples any_samples() {
  return {{{normal({3, 4})}, number_attrs(1.5)},
          {{normal({})}, number_attrs(-2.0)},
          {{normal({0, 2})}, number_attrs(3.0)}};
}
Samples positive_samples() {
  return {{{positive({3, 4})}, number_attrs(1.5)}, {{positive({7})}, number_attrs(-2.0)}};
}
Samples elu_samples() {
  return {{{normal({3, 4})}, number_attrs(1.0)},
          {{normal({5})}, number_attrs(0.5)},
          {{normal({})}, number_attrs(2.0)}};
}
Samples clamp_samples() {
  return {{{normal({3, 4})}, number_attrs(-0.5).add(0.75).add(0)},
          {{normal({6})}, number_attrs(0.0).add(std::numeric_limits<double>::infinity()).add(0)}};
}

double number_of(const Attrs& attrs) { return attrs.number(0); }

template <cpu::Unary F>
constexpr Op number_op(const char* name, void (*vjp)(VjpCall&), uint32_t saves, uint32_t linear,
                       Samples (*samples)()) {
  return {.name = name,
          .attrs = kOneNumber,
          .infer = infer,
          .rule = {.factors = "...->...", .linear = linear},
          .saves = saves,
          .in_place = true,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}

void add_vjp(VjpCall& call) { call.set(0, call.grad()); }
void mul_vjp(VjpCall& call) { call.set(0, mul(call.grad(), number_of(call.attrs()))); }
void div_vjp(VjpCall& call) { call.set(0, div(call.grad(), number_of(call.attrs()))); }
void reverse_sub_vjp(VjpCall& call) { call.set(0, neg(call.grad())); }
void reverse_div_vjp(VjpCall& call) {
  call.set(0, neg(mul(call.grad(), div(call.output(), call.input(0)))));
}
void pow_vjp(VjpCall& call) {
  const double exponent = number_of(call.attrs());
  call.set(0, mul(call.grad(), mul(pow(call.input(0), exponent - 1), exponent)));
}
void clamp_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor inside = logical_and(ge(x, call.attrs().number(0)), le(x, call.attrs().number(2)));
  call.set(0, where(inside, call.grad(), mul(call.grad(), 0.0)));
}
void elu_vjp(VjpCall& call) {
  call.set(0, elu_backward(call.grad(), call.output(), number_of(call.attrs())));
}

constinit const Op kAddNumber =
    number_op<cpu::Unary::kAddNumber>("add_number", add_vjp, 0, 0, any_samples);
constinit const Op kMulNumber =
    number_op<cpu::Unary::kMulNumber>("mul_number", mul_vjp, 0, 1, any_samples);
constinit const Op kDivNumber =
    number_op<cpu::Unary::kDivNumber>("div_number", div_vjp, 0, 1, any_samples);
constinit const Op kReverseSub =
    number_op<cpu::Unary::kReverseSub>("reverse_sub_number", reverse_sub_vjp, 0, 0, any_samples);
constinit const Op kReverseDiv = number_op<cpu::Unary::kReverseDiv>(
    "reverse_div_number", reverse_div_vjp, saves_input(0) | saves_output(), 0, positive_samples);
constinit const Op kPowNumber =
    number_op<cpu::Unary::kPowNumber>("pow_number", pow_vjp, saves_input(0), 0, positive_samples);
constinit const Op kElu =
    number_op<cpu::Unary::kElu>("elu", elu_vjp, saves_output(), 0, elu_samples);
constinit const Op kClamp = {
    .name = "clamp",
    .attrs = kTwoNumbers,
    .infer = infer,
    .rule = {.factors = "...->..."},
    .saves = saves_input(0),
    .in_place = true,
    .vjp = clamp_vjp,
    .kernels = {kernel<cpu::Unary::kClamp>},
    .samples = clamp_samples,
};

void elu_backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("elu_backward", in);
  out.add(broadcast_sizes("elu_backward", in[0]->sizes, in[1]->sizes), in[0]->dtype);
}
void elu_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_binary(stream, cpu::Binary::kEluGrad, out[0], in[0], in[1], params_of(attrs));
}
void elu_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, elu_backward(call.grad(), call.input(1), number_of(call.attrs())));
  if (!call.needs(1)) return;
  const Tensor both = mul(call.grad(), call.input(0));
  call.set(1, where(gt(call.input(1), 0.0), mul(both, 0.0), both));
}
constinit const Op kEluBackward = {
    .name = "elu_backward",
    .attrs = kOneNumber,
    .infer = elu_backward_infer,
    .rule = {.factors = "...,...->...", .linear = 1},
    .saves = saves_input(0) | saves_input(1),
    .in_place = true,
    .vjp = elu_backward_vjp,
    .kernels = {elu_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), unit({3, 4})}, number_attrs(1.0)}};
        },
};

Tensor promoted(const Op& op, const Tensor& x, Scalar value, bool floating = false) {
  if (x.is_floating_point()) return call_op(op, {&x}, number_attrs(value));
  DType dtype = result_type(x, value);
  if (floating && !is_floating(dtype)) dtype = get_default_dtype();
  const Tensor converted = to(x, dtype);
  return call_op(op, {&converted}, number_attrs(value));
}

const Tensor& in_place(const Op& op, const Tensor& self, Scalar value) {
  OA_REQUIRE(self.is_floating_point() || !value.is_floating(), op.name,
             ": a floating result cannot be stored in ", name_of(self.dtype()));
  return call_in_place(op, {&self}, number_attrs(value));
}

Attrs clamp_attrs(std::optional<Scalar> min, std::optional<Scalar> max) {
  OA_REQUIRE(min.has_value() || max.has_value(),
             "clamp: at least one of min and max must be given");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<int64_t>;
  return Attrs()
      .add(min ? min->number() : -kInfinity)
      .add(min ? min->integer() : Limits::min())
      .add(max ? max->number() : kInfinity)
      .add(max ? max->integer() : Limits::max());
}

}  // namespace

Tensor add(const Tensor& a, Scalar b) { return promoted(kAddNumber, a, b); }
Tensor add(Scalar a, const Tensor& b) { return promoted(kAddNumber, b, a); }
Tensor sub(const Tensor& a, Scalar b) {
  return promoted(kAddNumber, a, b.is_floating() ? Scalar(-b.number()) : Scalar(-b.integer()));
}
Tensor sub(Scalar a, const Tensor& b) { return promoted(kReverseSub, b, a); }
Tensor mul(const Tensor& a, Scalar b) { return promoted(kMulNumber, a, b); }
Tensor mul(Scalar a, const Tensor& b) { return promoted(kMulNumber, b, a); }
Tensor div(const Tensor& a, Scalar b) { return promoted(kDivNumber, a, b, true); }
Tensor div(Scalar a, const Tensor& b) { return promoted(kReverseDiv, b, a, true); }
Tensor pow(const Tensor& base, Scalar exponent) {
  if (exponent.number() == 2.0) return square(base);
  return promoted(kPowNumber, base, exponent, true);
}
Tensor elu_backward(const Tensor& gradient, const Tensor& y, Scalar alpha) {
  return call_op(kEluBackward, {&gradient, &y}, number_attrs(alpha));
}

Tensor clamp(const Tensor& x, std::optional<Scalar> min, std::optional<Scalar> max) {
  Tensor operand = x;
  for (const auto& limit : {min, max})
    if (limit && limit->is_floating()) operand = as_floating(operand);
  return call_op(kClamp, {&operand}, clamp_attrs(min, max));
}

const Tensor& add_(const Tensor& self, Scalar other) { return in_place(kAddNumber, self, other); }
const Tensor& sub_(const Tensor& self, Scalar other) {
  return in_place(kAddNumber, self,
                  other.is_floating() ? Scalar(-other.number()) : Scalar(-other.integer()));
}
const Tensor& mul_(const Tensor& self, Scalar other) { return in_place(kMulNumber, self, other); }
const Tensor& div_(const Tensor& self, Scalar other) { return in_place(kDivNumber, self, other); }
const Tensor& clamp_(const Tensor& self, std::optional<Scalar> min, std::optional<Scalar> max) {
  return call_in_place(kClamp, {&self}, clamp_attrs(min, max));
}

OA_OP(number, &kAddNumber, &kMulNumber, &kDivNumber, &kReverseSub, &kReverseDiv, &kPowNumber, &kElu,
      &kClamp, &kEluBackward)

}  // namespace oneagent
