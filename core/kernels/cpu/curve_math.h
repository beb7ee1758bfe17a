// Elementary functions on the part of the line that activations and losses need, in the manner of
// math.h: explicit fmaf polynomials for float, libm for double. Errors: 2 ulp; erf 4e-7 absolute.
#pragma once

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
inline T larger(T a, T b) {  // a NaN in a stays
  return a < b ? b : a;
}
template <class T>
inline T smaller(T a, T b) {
  return a > b ? b : a;
}

// exp(x) - 1 for x <= 0: Cephes' polynomial is that of exp(r) - 1, and 2^n - 1 is exact.
inline float negative_expm1_(float x) {
  const float c = x < -17.5f ? -17.5f : x;
  const float n = __builtin_floorf(__builtin_fmaf(c, 1.44269504088896341f, 0.5f));
  float r = __builtin_fmaf(n, -0.693359375f, c);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  p = __builtin_fmaf(p, r * r, r);
  const float scale = float_of((static_cast<int32_t>(n) + 127) << 23);
  return __builtin_fmaf(scale, p, scale - 1.0f);
}
inline double negative_expm1_(double x) { return std::expm1(x); }

// exp(x) for x <= 80: math.h's, without what large x needs. Adding 1.5 2^23 rounds to an integer
// and leaves it in the low bits.
inline float low_exp_(float x) {
  constexpr float kRound = 12582912.0f, kLow = -87.3365479f;
  const float c = x < kLow ? kLow : x;
  const float t = __builtin_fmaf(c, 1.44269504088896341f, kRound);
  const float n = t - kRound;
  float r = __builtin_fmaf(n, -0.693359375f, c);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  p = __builtin_fmaf(p, r * r, r) + 1.0f;
  const uint32_t scale = (static_cast<uint32_t>(bits_of(t)) << 23) + 0x3f800000u;
  const float y = p * float_of(static_cast<int32_t>(scale));
  return x < kLow ? 0.0f : y;
}
// The same for double, with the series of exp(r) up to r^13; results below 1e-307 are 0.
inline double low_exp_(double x) {
  constexpr double kRound = 6755399441055744.0, kLow = -708.0;
  const double c = x < kLow ? kLow : x;
  const double t = __builtin_fma(c, 1.4426950408889634, kRound);
  const double n = t - kRound;
  double r = __builtin_fma(n, -6.93147180369123816490e-01, c);
  r = __builtin_fma(n, -1.90821492927058770002e-10, r);
  double p = 1.6059043836821613e-10;
  p = __builtin_fma(p, r, 2.0876756987868099e-09);
  p = __builtin_fma(p, r, 2.5052108385441720e-08);
  p = __builtin_fma(p, r, 2.7557319223985888e-07);
  p = __builtin_fma(p, r, 2.7557319223985893e-06);
  p = __builtin_fma(p, r, 2.4801587301587302e-05);
  p = __builtin_fma(p, r, 1.9841269841269841e-04);
  p = __builtin_fma(p, r, 1.3888888888888889e-03);
  p = __builtin_fma(p, r, 8.3333333333333332e-03);
  p = __builtin_fma(p, r, 4.1666666666666664e-02);
  p = __builtin_fma(p, r, 1.6666666666666666e-01);
  p = __builtin_fma(p, r, 0.5);
  p = __builtin_fma(p, r * r, r) + 1.0;
  const uint64_t scale = (__builtin_bit_cast(uint64_t, t) + 1023) << 52;
  const double y = p * __builtin_bit_cast(double, scale);
  return x < kLow ? 0.0 : y;
}

// 1 / (1 + exp(-x)), the exponential being that of a number below 0.
template <class T>
inline T logistic_(T x) {
  const T e = low_exp_(-abs_(x));
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

// log(1 + y) for 0 <= y <= 1: Cephes' logf on y, or on (1 + y) / 2 - 1, which are both exact.
inline float unit_log1p_(float y) {
  const bool above = y > 0.414213562373095f;
  const float m = above ? __builtin_fmaf(y, 0.5f, -0.5f) : y;
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = __builtin_fmaf(p, m, -1.1514610310e-1f);
  p = __builtin_fmaf(p, m, 1.1676998740e-1f);
  p = __builtin_fmaf(p, m, -1.2420140846e-1f);
  p = __builtin_fmaf(p, m, 1.4249322787e-1f);
  p = __builtin_fmaf(p, m, -1.6668057665e-1f);
  p = __builtin_fmaf(p, m, 2.0000714765e-1f);
  p = __builtin_fmaf(p, m, -2.4999993993e-1f);
  p = __builtin_fmaf(p, m, 3.3333331174e-1f);
  float r = __builtin_fmaf(p * m, z, -0.5f * z);
  r = m + r;
  return above ? r + 0.693147180559945f : r;
}
inline double unit_log1p_(double y) { return std::log1p(y); }

// log(1 + exp(x)), without overflow.
template <class T>
inline T softplus_(T x) {
  return larger(x, T(0)) + unit_log1p_(low_exp_(-abs_(x)));
}

// The distribution function of N(0, 1); float: erf as a rational function of degree 13/8 (Eigen).
inline float normal_cdf_(float x) {
  float c = x * 0.70710678118654752440f;
  c = c > 4.0f ? 4.0f : c;
  c = c < -4.0f ? -4.0f : c;
  const float z = c * c;
  float p = -2.72614225801306e-10f;
  p = __builtin_fmaf(p, z, 2.77068142495902e-08f);
  p = __builtin_fmaf(p, z, -2.10102402082508e-06f);
  p = __builtin_fmaf(p, z, -5.69250639462346e-05f);
  p = __builtin_fmaf(p, z, -7.34990630326855e-04f);
  p = __builtin_fmaf(p, z, -2.95459980854025e-03f);
  p = __builtin_fmaf(p, z, -1.60960333262415e-02f);
  float q = -1.45660718464996e-05f;
  q = __builtin_fmaf(q, z, -2.13374055278905e-04f);
  q = __builtin_fmaf(q, z, -1.68282697438203e-03f);
  q = __builtin_fmaf(q, z, -7.37332916720468e-03f);
  q = __builtin_fmaf(q, z, -1.42647390514189e-02f);
  return __builtin_fmaf(0.5f, c * p / q, 0.5f);
}
inline double normal_cdf_(double x) { return 0.5 * (1.0 + std::erf(x * 0.70710678118654752440)); }

template <class T>
inline T normal_pdf_(T x) {
  return low_exp_(x * x * T(-0.5)) * T(0.39894228040143267794);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
