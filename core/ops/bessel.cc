#include "core/ops/bessel.h"

#include "core/kernels/cpu/bessel.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Bessel;
constexpr uint32_t kX = Record::kX, kY = Record::kY;

Samples any_samples() {
  return {{{normal({3, 4})}}, {{between({12}, -20, 20)}}, {{normal({})}}, {{normal({0, 3})}}};
}
Samples positive_samples() { return {{{positive({3, 4})}}, {{between({12}, 0.1, 20)}}}; }
Samples near_samples() { return {{{normal({3, 4})}}, {{between({8}, 0.5, 9)}}, {{normal({})}}}; }

// i1 = i0 - i1 / x, 1/2 at 0
Tensor i1_gradient(VjpCall& c) {
  const Tensor x = c.input(0);
  const Tensor slope = sub(i0(x), div(c.output(), x));
  return mul(c.grad(), where(eq(x, 0.0), 0.5, slope));
}
Tensor i1e_gradient(VjpCall& c) {
  const Tensor x = c.input(0), y = c.output();
  const Tensor slope = sub(special_i0e(x), mul(y, add(sign(x), reciprocal(x))));
  return mul(c.grad(), where(eq(x, 0.0), 0.5, slope));
}
Tensor i0e_gradient(VjpCall& c) {
  const Tensor x = c.input(0);
  return mul(c.grad(), sub(special_i1e(x), mul(sign(x), c.output())));
}

constinit const Op kI0 = Record::unary<Bessel::kI0>(
    "i0", [](VjpCall& c) { c.set(0, mul(c.grad(), special_i1(c.input(0)))); }, kX, near_samples);
constinit const Op kI0e = Record::unary<Bessel::kI0e>(
    "special_i0e", [](VjpCall& c) { c.set(0, i0e_gradient(c)); }, kX | kY, any_samples);
constinit const Op kI1 = Record::unary<Bessel::kI1>(
    "special_i1", [](VjpCall& c) { c.set(0, i1_gradient(c)); }, kX | kY, near_samples);
constinit const Op kI1e = Record::unary<Bessel::kI1e>(
    "special_i1e", [](VjpCall& c) { c.set(0, i1e_gradient(c)); }, kX | kY, any_samples);

template <Bessel F>
constexpr Op plain(const char* name, Record::MakeSamples samples) {
  return Record::unary<F>(name, nullptr, 0, samples);
}
constinit const Op kJ0 = plain<Bessel::kJ0>("special_bessel_j0", any_samples);
constinit const Op kJ1 = plain<Bessel::kJ1>("special_bessel_j1", any_samples);
constinit const Op kY0 = plain<Bessel::kY0>("special_bessel_y0", positive_samples);
constinit const Op kY1 = plain<Bessel::kY1>("special_bessel_y1", positive_samples);
constinit const Op kK0 = plain<Bessel::kK0>("special_modified_bessel_k0", positive_samples);
constinit const Op kK1 = plain<Bessel::kK1>("special_modified_bessel_k1", positive_samples);
constinit const Op kModifiedI0 = plain<Bessel::kI0>("special_modified_bessel_i0", near_samples);
constinit const Op kModifiedI1 = plain<Bessel::kI1>("special_modified_bessel_i1", near_samples);
constinit const Op kScaledK0 =
    plain<Bessel::kK0e>("special_scaled_modified_bessel_k0", positive_samples);
constinit const Op kScaledK1 =
    plain<Bessel::kK1e>("special_scaled_modified_bessel_k1", positive_samples);
constinit const Op kSphericalJ0 =
    plain<Bessel::kSphericalJ0>("special_spherical_bessel_j0", any_samples);
constinit const Op kAiryAi = plain<Bessel::kAiryAi>("special_airy_ai", any_samples);

Tensor call(const Op& op, const Tensor& x) {
  return Elementwise::call(op, Elementwise::kFloating, x);
}

}  // namespace

Tensor i0(const Tensor& self) { return call(kI0, self); }
Tensor special_i0(const Tensor& self) { return i0(self); }
Tensor special_i0e(const Tensor& self) { return call(kI0e, self); }
Tensor special_i1(const Tensor& self) { return call(kI1, self); }
Tensor special_i1e(const Tensor& self) { return call(kI1e, self); }
Tensor special_bessel_j0(const Tensor& self) { return call(kJ0, self); }
Tensor special_bessel_j1(const Tensor& self) { return call(kJ1, self); }
Tensor special_bessel_y0(const Tensor& self) { return call(kY0, self); }
Tensor special_bessel_y1(const Tensor& self) { return call(kY1, self); }
Tensor special_modified_bessel_i0(const Tensor& self) { return call(kModifiedI0, self); }
Tensor special_modified_bessel_i1(const Tensor& self) { return call(kModifiedI1, self); }
Tensor special_modified_bessel_k0(const Tensor& self) { return call(kK0, self); }
Tensor special_modified_bessel_k1(const Tensor& self) { return call(kK1, self); }
Tensor special_scaled_modified_bessel_k0(const Tensor& x) { return call(kScaledK0, x); }
Tensor special_scaled_modified_bessel_k1(const Tensor& x) { return call(kScaledK1, x); }
Tensor special_spherical_bessel_j0(const Tensor& x) { return call(kSphericalJ0, x); }
Tensor special_airy_ai(const Tensor& x) { return call(kAiryAi, x); }

const Tensor& i0_(const Tensor& self) {
  return Elementwise::call_(kI0, Elementwise::kFloating, self);
}

OA_OP(bessel, &kI0, &kI0e, &kI1, &kI1e, &kJ0, &kJ1, &kY0, &kY1, &kK0, &kK1, &kModifiedI0,
      &kModifiedI1, &kScaledK0, &kScaledK1, &kSphericalJ0, &kAiryAi)

}  // namespace oneagent
