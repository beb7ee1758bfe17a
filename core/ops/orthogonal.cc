#include "core/ops/orthogonal.h"

#include "core/kernels/cpu/orthogonal.h"
#include "core/ops/op_record.h"

namespace oneagent {
namespace {

using cpu::Orthogonal;

Samples samples() {
  return {{{normal({3, 4}), between({3, 4}, 0, 12)}},
          {{unit({5}), between({4, 1}, -1, 20)}},
          {{normal({}), between({}, 2, 5)}}};
}

template <Orthogonal F>
constexpr Op record(const char* name) {
  return ElementwiseRecord::binary<F>(name, nullptr, 0, samples);
}

constinit const Op kChebyshevT = record<Orthogonal::kChebyshevT>("special_chebyshev_polynomial_t");
constinit const Op kChebyshevU = record<Orthogonal::kChebyshevU>("special_chebyshev_polynomial_u");
constinit const Op kChebyshevV = record<Orthogonal::kChebyshevV>("special_chebyshev_polynomial_v");
constinit const Op kChebyshevW = record<Orthogonal::kChebyshevW>("special_chebyshev_polynomial_w");
constinit const Op kShiftedChebyshevT =
    record<Orthogonal::kShiftedChebyshevT>("special_shifted_chebyshev_polynomial_t");
constinit const Op kShiftedChebyshevU =
    record<Orthogonal::kShiftedChebyshevU>("special_shifted_chebyshev_polynomial_u");
constinit const Op kShiftedChebyshevV =
    record<Orthogonal::kShiftedChebyshevV>("special_shifted_chebyshev_polynomial_v");
constinit const Op kShiftedChebyshevW =
    record<Orthogonal::kShiftedChebyshevW>("special_shifted_chebyshev_polynomial_w");
constinit const Op kHermiteH = record<Orthogonal::kHermiteH>("special_hermite_polynomial_h");
constinit const Op kHermiteHe = record<Orthogonal::kHermiteHe>("special_hermite_polynomial_he");
constinit const Op kLaguerreL = record<Orthogonal::kLaguerreL>("special_laguerre_polynomial_l");
constinit const Op kLegendreP = record<Orthogonal::kLegendreP>("special_legendre_polynomial_p");

template <class X, class N>
Tensor call(const Op& op, const X& x, const N& n) {
  return Elementwise::call(op, Elementwise::kFloating, x, n);
}

}  // namespace

Tensor special_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return call(kChebyshevT, x, n);
}
Tensor special_chebyshev_polynomial_t(const Tensor& x, Scalar n) { return call(kChebyshevT, x, n); }
Tensor special_chebyshev_polynomial_t(Scalar x, const Tensor& n) { return call(kChebyshevT, x, n); }
Tensor special_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return call(kChebyshevU, x, n);
}
Tensor special_chebyshev_polynomial_u(const Tensor& x, Scalar n) { return call(kChebyshevU, x, n); }
Tensor special_chebyshev_polynomial_u(Scalar x, const Tensor& n) { return call(kChebyshevU, x, n); }
Tensor special_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return call(kChebyshevV, x, n);
}
Tensor special_chebyshev_polynomial_v(const Tensor& x, Scalar n) { return call(kChebyshevV, x, n); }
Tensor special_chebyshev_polynomial_v(Scalar x, const Tensor& n) { return call(kChebyshevV, x, n); }
Tensor special_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return call(kChebyshevW, x, n);
}
Tensor special_chebyshev_polynomial_w(const Tensor& x, Scalar n) { return call(kChebyshevW, x, n); }
Tensor special_chebyshev_polynomial_w(Scalar x, const Tensor& n) { return call(kChebyshevW, x, n); }
Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n) {
  return call(kShiftedChebyshevT, x, n);
}
Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, Scalar n) {
  return call(kShiftedChebyshevT, x, n);
}
Tensor special_shifted_chebyshev_polynomial_t(Scalar x, const Tensor& n) {
  return call(kShiftedChebyshevT, x, n);
}
Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n) {
  return call(kShiftedChebyshevU, x, n);
}
Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, Scalar n) {
  return call(kShiftedChebyshevU, x, n);
}
Tensor special_shifted_chebyshev_polynomial_u(Scalar x, const Tensor& n) {
  return call(kShiftedChebyshevU, x, n);
}
Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n) {
  return call(kShiftedChebyshevV, x, n);
}
Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, Scalar n) {
  return call(kShiftedChebyshevV, x, n);
}
Tensor special_shifted_chebyshev_polynomial_v(Scalar x, const Tensor& n) {
  return call(kShiftedChebyshevV, x, n);
}
Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n) {
  return call(kShiftedChebyshevW, x, n);
}
Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, Scalar n) {
  return call(kShiftedChebyshevW, x, n);
}
Tensor special_shifted_chebyshev_polynomial_w(Scalar x, const Tensor& n) {
  return call(kShiftedChebyshevW, x, n);
}
Tensor special_hermite_polynomial_h(const Tensor& x, const Tensor& n) {
  return call(kHermiteH, x, n);
}
Tensor special_hermite_polynomial_h(const Tensor& x, Scalar n) { return call(kHermiteH, x, n); }
Tensor special_hermite_polynomial_h(Scalar x, const Tensor& n) { return call(kHermiteH, x, n); }
Tensor special_hermite_polynomial_he(const Tensor& x, const Tensor& n) {
  return call(kHermiteHe, x, n);
}
Tensor special_hermite_polynomial_he(const Tensor& x, Scalar n) { return call(kHermiteHe, x, n); }
Tensor special_hermite_polynomial_he(Scalar x, const Tensor& n) { return call(kHermiteHe, x, n); }
Tensor special_laguerre_polynomial_l(const Tensor& x, const Tensor& n) {
  return call(kLaguerreL, x, n);
}
Tensor special_laguerre_polynomial_l(const Tensor& x, Scalar n) { return call(kLaguerreL, x, n); }
Tensor special_laguerre_polynomial_l(Scalar x, const Tensor& n) { return call(kLaguerreL, x, n); }
Tensor special_legendre_polynomial_p(const Tensor& x, const Tensor& n) {
  return call(kLegendreP, x, n);
}
Tensor special_legendre_polynomial_p(const Tensor& x, Scalar n) { return call(kLegendreP, x, n); }
Tensor special_legendre_polynomial_p(Scalar x, const Tensor& n) { return call(kLegendreP, x, n); }

OA_OP(orthogonal, &kChebyshevT, &kChebyshevU, &kChebyshevV, &kChebyshevW, &kShiftedChebyshevT,
      &kShiftedChebyshevU, &kShiftedChebyshevV, &kShiftedChebyshevW, &kHermiteH, &kHermiteHe,
      &kLaguerreL, &kLegendreP)

}  // namespace oneagent
