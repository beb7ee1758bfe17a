#include "core/ops/error_function.h"

#include "core/kernels/cpu/error_function.h"
#include "core/kernels/cpu/transcendental.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::ErrorFunction;
using cpu::Transcendental;
constexpr uint32_t kX = Record::kX, kY = Record::kY;

constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
constexpr double kSqrtTwoPi = 2.50662827463100050242;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kSqrtHalf = 0.70710678118654752440;

Samples any_samples() {
  return {{{normal({3, 4})}}, {{normal({2, 1, 5})}}, {{normal({})}}, {{normal({0, 3})}}};
}
Samples unit_samples() { return {{{unit({3, 4})}}, {{unit({})}}}; }
Samples probability_samples() {
  return {{{between({3, 4}, 0.01, 0.99)}}, {{between({}, 0.1, 0.2)}}};
}
Samples positive_samples() { return {{{positive({3, 4})}}, {{positive({})}}}; }

// d erf = 2 / sqrt(pi) exp(-x^2)
Tensor erf_gradient(VjpCall& c) {
  return mul(c.grad(), mul(exp(neg(square(c.input(0)))), kTwoOverSqrtPi));
}
// d erfinv = sqrt(pi) / 2 exp(y^2)
Tensor erfinv_gradient(VjpCall& c) {
  return mul(c.grad(), mul(exp(square(c.output())), 1.0 / kTwoOverSqrtPi));
}
// d erfcx = 2 x y - 2 / sqrt(pi)
Tensor erfcx_gradient(VjpCall& c) {
  return mul(c.grad(), sub(mul(mul(c.input(0), 2.0), c.output()), kTwoOverSqrtPi));
}
Tensor ndtr_gradient(VjpCall& c) {
  return mul(c.grad(), mul(exp(mul(square(c.input(0)), -0.5)), 1.0 / kSqrtTwoPi));
}
Tensor ndtri_gradient(VjpCall& c) {
  return mul(c.grad(), mul(exp(mul(square(c.output()), 0.5)), kSqrtTwoPi));
}
// the density over the distribution function, without exp(-x^2 / 2) in either
Tensor log_ndtr_gradient(VjpCall& c) {
  return div(mul(c.grad(), kSqrtTwoOverPi), special_erfcx(mul(c.input(0), -kSqrtHalf)));
}
Tensor entr_gradient(VjpCall& c) { return mul(c.grad(), sub(-1.0, log(c.input(0)))); }

constinit const Op kErf = Record::unary<Transcendental::kErf>(
    "erf", [](VjpCall& c) { c.set(0, erf_gradient(c)); }, kX, any_samples);
constinit const Op kErfc = Record::unary<Transcendental::kErfc>(
    "erfc", [](VjpCall& c) { c.set(0, neg(erf_gradient(c))); }, kX, any_samples);
constinit const Op kErfinv = Record::unary<ErrorFunction::kErfinv>(
    "erfinv", [](VjpCall& c) { c.set(0, erfinv_gradient(c)); }, kY, unit_samples);
constinit const Op kErfcx = Record::unary<ErrorFunction::kErfcx>(
    "special_erfcx", [](VjpCall& c) { c.set(0, erfcx_gradient(c)); }, kX | kY, any_samples);
constinit const Op kNdtr = Record::unary<ErrorFunction::kNdtr>(
    "special_ndtr", [](VjpCall& c) { c.set(0, ndtr_gradient(c)); }, kX, any_samples);
constinit const Op kNdtri = Record::unary<ErrorFunction::kNdtri>(
    "special_ndtri", [](VjpCall& c) { c.set(0, ndtri_gradient(c)); }, kY, probability_samples);
constinit const Op kLogNdtr = Record::unary<ErrorFunction::kLogNdtr>(
    "special_log_ndtr", [](VjpCall& c) { c.set(0, log_ndtr_gradient(c)); }, kX, any_samples);
constinit const Op kEntr = Record::unary<ErrorFunction::kEntr>(
    "special_entr", [](VjpCall& c) { c.set(0, entr_gradient(c)); }, kX, positive_samples);

Tensor call(const Op& op, const Tensor& x) {
  return Elementwise::call(op, Elementwise::kFloating, x);
}
const Tensor& call_(const Op& op, const Tensor& self) {
  return Elementwise::call_(op, Elementwise::kFloating, self);
}

}  // namespace

Tensor erf(const Tensor& self) { return call(kErf, self); }
Tensor erfc(const Tensor& self) { return call(kErfc, self); }
Tensor erfinv(const Tensor& self) { return call(kErfinv, self); }
Tensor special_erf(const Tensor& self) { return erf(self); }
Tensor special_erfc(const Tensor& self) { return erfc(self); }
Tensor special_erfinv(const Tensor& self) { return erfinv(self); }
Tensor special_erfcx(const Tensor& self) { return call(kErfcx, self); }
Tensor special_ndtr(const Tensor& self) { return call(kNdtr, self); }
Tensor special_ndtri(const Tensor& self) { return call(kNdtri, self); }
Tensor special_log_ndtr(const Tensor& self) { return call(kLogNdtr, self); }
Tensor special_entr(const Tensor& self) { return call(kEntr, self); }

const Tensor& erf_(const Tensor& self) { return call_(kErf, self); }
const Tensor& erfc_(const Tensor& self) { return call_(kErfc, self); }
const Tensor& erfinv_(const Tensor& self) { return call_(kErfinv, self); }

OA_OP(error_function, &kErf, &kErfc, &kErfinv, &kErfcx, &kNdtr, &kNdtri, &kLogNdtr, &kEntr)

}  // namespace oneagent
