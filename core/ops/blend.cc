#include "core/ops/blend.h"

#include "core/kernels/cpu/blend.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
constexpr auto kAny = Elementwise::kAny;

void set(VjpCall& c, size_t i, const Tensor& gradient) { Record::set(c, i, gradient); }

void lerp_number_vjp(VjpCall& c) {
  const double weight = c.attrs().number(0);
  if (c.needs(0)) set(c, 0, mul(c.grad(), 1.0 - weight));
  if (c.needs(1)) set(c, 1, mul(c.grad(), weight));
}
void lerp_vjp(VjpCall& c) {
  const Tensor weight = c.input(2);
  if (c.needs(0)) set(c, 0, mul(c.grad(), sub(1.0, weight)));
  if (c.needs(1)) set(c, 1, mul(c.grad(), weight));
  if (c.needs(2)) set(c, 2, mul(c.grad(), sub(c.input(1), c.input(0))));
}
void addcmul_vjp(VjpCall& c) {
  const double value = c.attrs().number(0);
  if (c.needs(0)) set(c, 0, c.grad());
  if (c.needs(1)) set(c, 1, mul(c.grad(), mul(c.input(2), value)));
  if (c.needs(2)) set(c, 2, mul(c.grad(), mul(c.input(1), value)));
}
void addcdiv_vjp(VjpCall& c) {
  const double value = c.attrs().number(0);
  if (c.needs(0)) set(c, 0, c.grad());
  const Tensor scaled = mul(div(c.grad(), c.input(2)), value);
  if (c.needs(1)) set(c, 1, scaled);
  if (c.needs(2)) set(c, 2, neg(mul(scaled, div(c.input(1), c.input(2)))));
}

template <cpu::Blend F>
constexpr Op blend(const char* name, Record::Vjp vjp, uint32_t saves, Record::MakeSamples samples,
                   std::span<const AttrSpec> attrs, uint32_t linear) {
  return {.name = name,
          .attrs = attrs,
          .infer = Record::infer_broadcast,
          .rule = {.factors = "...,...,...->...", .linear = linear},
          .saves = saves,
          .in_place = true,
          .keeps_layout = true,
          .vjp = vjp,
          .kernels = {Record::kernel<F>},
          .samples = samples};
}

Samples number_samples() {
  return {{{normal({3, 4}), normal({3, 4})}, Record::attrs_of(0.3)},
          {{normal({3}), normal({2, 3})}, Record::attrs_of(0.8)}};
}
Samples weight_samples() {
  return {{{normal({3, 4}), normal({3, 4}), unit({3, 4})}},
          {{normal({3, 4}), normal({4}), unit({})}},
          {{normal({2, 3}), normal({}), normal({2, 3})}}};
}
Samples addcmul_samples() {
  return {{{normal({3, 4}), normal({3, 4}), normal({3, 4})}, Record::attrs_of(0.5)},
          {{normal({3, 4}), normal({4}), normal({})}, Record::attrs_of(-2)},
          {{ints({5}, 0, 9), ints({5}, 0, 9), ints({5}, 0, 9)}, Record::attrs_of(3)}};
}
Samples addcdiv_samples() {
  return {{{normal({3, 4}), normal({3, 4}), positive({3, 4})}, Record::attrs_of(0.5)},
          {{normal({3, 4}), normal({}), positive({4})}, Record::attrs_of(-2)}};
}

constexpr uint32_t kTwoAndThree = saves_input(1) | saves_input(2);

constinit const Op kLerpNumber = Record::binary<cpu::Binary::kLerp>(
    "lerp_number", lerp_number_vjp, 0, number_samples, Record::kOneNumber, kTogether | 3);
constinit const Op kLerp = blend<cpu::Blend::kLerp>("lerp", lerp_vjp, kTwoAndThree | saves_input(0),
                                                    weight_samples, {}, 0);
constinit const Op kAddcmul = blend<cpu::Blend::kAddcmul>("addcmul", addcmul_vjp, kTwoAndThree,
                                                          addcmul_samples, Record::kOneNumber, 0);
constinit const Op kAddcdiv = blend<cpu::Blend::kAddcdiv>("addcdiv", addcdiv_vjp, kTwoAndThree,
                                                          addcdiv_samples, Record::kOneNumber, 0);

void require_same_types(const char* op, const Tensor& a, const Tensor& b) {
  OA_REQUIRE(a.scalar_type() == b.scalar_type(), op, ": operands have types ",
             name_of(a.scalar_type()), " and ", name_of(b.scalar_type()));
}
void require_floating_result(const Tensor& a, const Tensor& b, const Tensor& c) {
  OA_REQUIRE(is_floating(Elementwise::type_of(kAny, a, b, c)) &&
                 (has_gradient(b.dtype()) || has_gradient(c.dtype())),
             "addcdiv: has no meaning for integers alone; use div() with a rounding mode");
}

Attrs factor(const Tensor& self, Scalar value) {
  require_factor(value, self.scalar_type());
  return Record::attrs_of(value);
}

}  // namespace

Tensor lerp(const Tensor& self, const Tensor& end, Scalar weight) {
  require_same_types("lerp", self, end);
  return call_op(kLerpNumber, {&self, &end}, factor(self, weight));
}
Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  return call_op(kLerp, {&self, &end, &weight});
}
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  return Elementwise::call(kAddcmul, kAny, self, tensor1, tensor2, factor(self, value));
}
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value) {
  require_floating_result(self, tensor1, tensor2);
  return Elementwise::call(kAddcdiv, kAny, self, tensor1, tensor2, factor(self, value));
}

const Tensor& lerp_(const Tensor& self, const Tensor& end, Scalar weight) {
  require_same_types("lerp_", self, end);
  return call_in_place(kLerpNumber, {&self, &end}, factor(self, weight));
}
const Tensor& lerp_(const Tensor& self, const Tensor& end, const Tensor& weight) {
  return call_in_place(kLerp, {&self, &end, &weight});
}
const Tensor& addcmul_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       Scalar value) {
  return Elementwise::call_(kAddcmul, kAny, self, tensor1, tensor2, factor(self, value));
}
const Tensor& addcdiv_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       Scalar value) {
  require_floating_result(self, tensor1, tensor2);
  return Elementwise::call_(kAddcdiv, kAny, self, tensor1, tensor2, factor(self, value));
}

OA_OP(blend, &kLerpNumber, &kLerp, &kAddcmul, &kAddcdiv)

}  // namespace oneagent
