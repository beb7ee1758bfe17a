// The rest of the exponential family for float, in the manner of math.h: explicit fmaf polynomials
// without branches. Errors against a double reference: 2 ulp; pow 2 ulp. double uses libm.
#pragma once

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// 2^n for whole n in [-149, 127]... as two factors, so that denormals and the overflow come right.
inline float scaled_(float y, float n) {
  const int32_t whole = static_cast<int32_t>(n);
  const int32_t half = whole >> 1;
  return y * float_of((half + 127) << 23) * float_of((whole - half + 127) << 23);
}

// exp(r) - 1 for |r| <= ln(2) / 2 (Cephes expf).
inline float expm1_poly_(float r) {
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  return __builtin_fmaf(p, r * r, r);
}

inline float exp2_(float x) {
  float c = x > 129.0f ? 129.0f : x;
  c = c < -151.0f ? -151.0f : c;
  const float n = __builtin_rintf(c);
  const float r = c - n;
  float p = 1.535336188319500e-4f;
  p = __builtin_fmaf(p, r, 1.339887440266574e-3f);
  p = __builtin_fmaf(p, r, 9.618437357674640e-3f);
  p = __builtin_fmaf(p, r, 5.550332471162809e-2f);
  p = __builtin_fmaf(p, r, 2.402264791363012e-1f);
  p = __builtin_fmaf(p, r, 6.931472028550421e-1f);
  p = __builtin_fmaf(p, r, 1.0f);
  return x != x ? x : scaled_(p, n);
}
inline double exp2_(double x) { return std::exp2(x); }

// 2^n - 1 is exact where it matters; 2^(n-1) and a doubling at the end keep n = 128 finite.
inline float expm1_(float x) {
  float c = x > 88.7228394f ? 88.7228394f : x;
  c = c < -17.5f ? -17.5f : c;
  const float n = __builtin_rintf(c * 1.44269504088896341f);
  float r = __builtin_fmaf(n, -0.693359375f, c);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  const float scale = float_of((static_cast<int32_t>(n) + 126) << 23);
  const float y = 2.0f * __builtin_fmaf(scale, expm1_poly_(r), scale - 0.5f);
  return x > 88.7228394f ? __builtin_inff() : x != x ? x : __builtin_fabsf(x) < 1e-7f ? x : y;
}
inline double expm1_(double x) { return std::expm1(x); }

// e^|x| / 2.
inline float half_exp_(float x) {
  float c = __builtin_fabsf(x);
  c = c > 89.5f ? 89.5f : c;
  const float n = __builtin_rintf(c * 1.44269504088896341f);
  float r = __builtin_fmaf(n, -0.693359375f, c);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  return scaled_(expm1_poly_(r) + 1.0f, n - 1.0f);
}

inline float cosh_(float x) {
  const float h = half_exp_(x);
  return x != x ? x : h + 0.25f / h;
}
inline double cosh_(double x) { return std::cosh(x); }

inline float sinh_(float x) {
  const float a = __builtin_fabsf(x);
  const float h = half_exp_(x);
  const float z = x * x;
  float p = 2.03721912945e-4f;
  p = __builtin_fmaf(p, z, 8.33028376239e-3f);
  p = __builtin_fmaf(p, z, 1.66667160211e-1f);
  const float small = __builtin_fmaf(p * z, a, a);
  const float y = a < 1.0f ? small : h - 0.25f / h;
  return x != x ? x : __builtin_copysignf(y, x);
}
inline double sinh_(double x) { return std::sinh(x); }

// log(1 + m) for m in [sqrt(1/2) - 1, sqrt(2) - 1), without its first term (Cephes logf).
inline float log1p_poly_(float m) {
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
  return __builtin_fmaf(p * m, z, -0.5f * z);
}

// x = 2^e (1 + m), for x > 0.
struct Split {
  float e, m;
};
inline Split split_(float x) {
  const bool small = x < 1.17549435e-38f;
  const float scaled = small ? x * 8388608.0f : x;
  const int32_t shifted = bits_of(scaled) - 0x3f3504f3;  // of sqrt(1/2)
  const int32_t whole = shifted >> 23;
  const float m = float_of((shifted & 0x007fffff) + 0x3f3504f3) - 1.0f;
  return {static_cast<float>(whole) - (small ? 23.0f : 0.0f), m};
}

// What the logarithms of 0, negative numbers, infinity and NaN are.
inline float log_limits_(float x, float y) {
  y = x == __builtin_inff() ? x : y;
  y = x == 0.0f ? -__builtin_inff() : y;
  return x >= 0.0f ? y : __builtin_nanf("");
}

inline float log2_(float x) {
  const Split s = split_(x);
  const float y = log1p_poly_(s.m);
  // log2(e) = 1 + 0.4427...: the whole part is exact.
  float r = __builtin_fmaf(y, 0.44269504088896340736f, s.m * 0.44269504088896340736f);
  r += y;
  r += s.m;
  return log_limits_(x, r + s.e);
}
inline double log2_(double x) { return std::log2(x); }

inline float log10_(float x) {
  const Split s = split_(x);
  const float y = s.m + log1p_poly_(s.m);
  float r = y * 0.434294481903251827651f;
  r = __builtin_fmaf(s.e, 4.605038981195214e-06f, r);
  return log_limits_(x, __builtin_fmaf(s.e, 0.301025390625f, r));
}
inline double log10_(double x) { return std::log10(x); }

// u = 1 + x only chooses the power of two; the rest is exact: m = (1 + x) / 2^e - 1.
inline float log1p_(float x) {
  const float u = 1.0f + x;
  const int32_t whole = (bits_of(u) - 0x3f3504f3) >> 23;
  const float scale = float_of((129 - whole) << 23);  // of a quarter, as 2^-128 is none
  const float m = __builtin_fmaf(0.25f * x, scale, __builtin_fmaf(0.25f, scale, -1.0f));
  const float e = static_cast<float>(whole);
  float y = __builtin_fmaf(e, -2.12194440e-4f, log1p_poly_(m));
  y = __builtin_fmaf(e, 0.693359375f, m + y);
  y = x == __builtin_inff() ? x : y;
  y = x == -1.0f ? -__builtin_inff() : y;
  y = __builtin_fabsf(x) < 1e-7f ? x : y;
  return x >= -1.0f ? y : __builtin_nanf("");
}
inline double log1p_(double x) { return std::log1p(x); }

// 2^(y log2 |x|), the logarithm and the product in double: log2(1 + m) = s P(s^2) with
// s = m / (m + 2). The limits are those of C's pow.
inline float pow_(float x, float y) {
  const float a = __builtin_fabsf(x);
  const Split split = split_(a);
  const double m = split.m, s = m / (m + 2.0), z = s * s;
  double p = 0.340762728762;
  p = __builtin_fma(p, z, 0.411670961118);
  p = __builtin_fma(p, z, 0.577083614312);
  p = __builtin_fma(p, z, 0.961796673187);
  p = __builtin_fma(p, z, 2.88539008179);
  double t = y * __builtin_fma(p, s, static_cast<double>(split.e));
  t = t > 160.0 ? 160.0 : t;
  t = t < -160.0 ? -160.0 : t;
  const double n = __builtin_rint(t);
  const float r = static_cast<float>(t - n);
  float q = 1.54762166291e-4f;
  q = __builtin_fmaf(q, r, 1.34003002354e-3f);
  q = __builtin_fmaf(q, r, 9.61800421483e-3f);
  q = __builtin_fmaf(q, r, 5.55032771082e-2f);
  q = __builtin_fmaf(q, r, 2.40226513429e-1f);
  q = __builtin_fmaf(q, r, 6.9314720629e-1f);
  q = scaled_(__builtin_fmaf(q, r, 1.0f), static_cast<float>(n));
  const float inf = __builtin_inff();
  q = a == 0.0f || a == inf ? ((a == inf) == (y > 0.0f) ? inf : 0.0f) : q;
  const bool whole = __builtin_floorf(y) == y;
  const bool odd = whole & (__builtin_floorf(0.5f * y) * 2.0f != y);
  q = (x < 0.0f) & (a < inf) & !whole ? __builtin_nanf("") : q;
  q = odd ? __builtin_copysignf(q, x) : q;
  q = x != x || y != y ? __builtin_nanf("") : q;
  q = (a == 1.0f) & (__builtin_fabsf(y) == inf) ? 1.0f : q;
  return (y == 0.0f) | (x == 1.0f) ? 1.0f : q;
}
inline double pow_(double x, double y) { return std::pow(x, y); }

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
