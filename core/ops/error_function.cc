#include "core/ops/error_function.h"

#include "core/kernels/cpu/transcendental.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Transcendental;

Samples any_samples() {
  return {{{normal({3, 4})}}, {{normal({2, 1, 5})}}, {{normal({})}}, {{normal({0, 3})}}};
}

// d erf = 2 / sqrt(pi) exp(-x^2)
Tensor erf_gradient(VjpCall& c) {
  return mul(c.grad(), mul(exp(neg(square(c.input(0)))), 1.12837916709551257390));
}

constinit const Op kErf = Record::unary<Transcendental::kErf>(
    "erf", [](VjpCall& c) { c.set(0, erf_gradient(c)); }, Record::kX, any_samples);
constinit const Op kErfc = Record::unary<Transcendental::kErfc>(
    "erfc", [](VjpCall& c) { c.set(0, neg(erf_gradient(c))); }, Record::kX, any_samples);

constexpr auto kFloating = Elementwise::kFloating;

}  // namespace

Tensor erf(const Tensor& self) { return Elementwise::call(kErf, kFloating, self); }
Tensor erfc(const Tensor& self) { return Elementwise::call(kErfc, kFloating, self); }
Tensor special_erf(const Tensor& self) { return erf(self); }
Tensor special_erfc(const Tensor& self) { return erfc(self); }

const Tensor& erf_(const Tensor& self) { return Elementwise::call_(kErf, kFloating, self); }
const Tensor& erfc_(const Tensor& self) { return Elementwise::call_(kErfc, kFloating, self); }

OA_OP(error_function, &kErf, &kErfc)

}  // namespace oneagent
