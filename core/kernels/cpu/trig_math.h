// Trigonometric and inverse hyperbolic functions for float, in the manner of math.h. The
// polynomials are minimax fits. sin, cos and tan subtract multiples of pi in three parts, which is
// good up to kTrigLimit; larger arguments need libm (with_rare in core/kernels/cpu/rare_rows.h).
// Errors against a double reference: 2 ulp, asinh, acosh and atanh 3 ulp. double uses libm.
#pragma once

#include "core/kernels/cpu/exp_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

inline constexpr float kTrigLimit = 30000.0f;
inline constexpr float kHalfPi = 1.57079632679489661923f;

inline float less_pis_(float x, float n) {  // x - n pi
  float r = __builtin_fmaf(n, -3.1415927410125732f, x);
  r = __builtin_fmaf(n, 8.742277657347586e-08f, r);
  return __builtin_fmaf(n, 3.4302490200117637e-15f, r);
}
inline float less_half_pis_(float x, float n) {  // x - n pi / 2
  float r = __builtin_fmaf(n, -1.5707963705062866f, x);
  r = __builtin_fmaf(n, 4.371138828673793e-08f, r);
  return __builtin_fmaf(n, 1.7151245100058819e-15f, r);
}
inline float flip_(float y, float n) {  // -y for odd n
  return float_of(bits_of(y) ^ (static_cast<int32_t>(n) << 31));
}

// sin(r) for |r| <= pi / 2 + 0.01.
inline float sin_poly_(float r) {
  const float z = r * r;
  float p = 2.60387118965e-06f;
  p = __builtin_fmaf(p, z, -1.9808781402e-04f);
  p = __builtin_fmaf(p, z, 8.33305569397e-03f);
  p = __builtin_fmaf(p, z, -1.66666591698e-01f);
  return __builtin_fmaf(p * z, r, r);
}

inline float sin_(float x) {
  const float n = __builtin_rintf(x * 0.31830988618379067154f);
  const float y = flip_(sin_poly_(less_pis_(x, n)), n);
  return x == 0.0f ? x : y;
}
inline double sin_(double x) { return std::sin(x); }

// cos(r + (n + 1/2) pi) = -(-1)^n sin(r)
inline float cos_(float x) {
  const float n = __builtin_floorf(x * 0.31830988618379067154f);
  return flip_(sin_poly_(less_half_pis_(x, __builtin_fmaf(2.0f, n, 1.0f))), n + 1.0f);
}
inline double cos_(double x) { return std::cos(x); }

inline float tan_(float x) {
  const float n = __builtin_rintf(x * 0.63661977236758134308f);
  const float r = less_half_pis_(x, n);
  const float z = r * r;
  float p = 9.59896367085e-03f;
  p = __builtin_fmaf(p, z, 2.74926219965e-03f);
  p = __builtin_fmaf(p, z, 2.46687090581e-02f);
  p = __builtin_fmaf(p, z, 5.33418238112e-02f);
  p = __builtin_fmaf(p, z, 1.33396782636e-01f);
  p = __builtin_fmaf(p, z, 3.33331209154e-01f);
  const float t = __builtin_fmaf(p * z, r, r);
  const bool odd = (static_cast<int32_t>(n) & 1) != 0;
  const float y = (odd ? -1.0f : t) / (odd ? t : 1.0f);
  return x == 0.0f ? x : y;
}
inline double tan_(double x) { return std::tan(x); }

// asin(s) of s = sqrt(z) <= 1/2.
inline float asin_poly_(float s, float z) {
  float p = 4.22185559395e-02f;
  p = __builtin_fmaf(p, z, 2.41476066868e-02f);
  p = __builtin_fmaf(p, z, 4.54770979561e-02f);
  p = __builtin_fmaf(p, z, 7.49524177374e-02f);
  p = __builtin_fmaf(p, z, 1.66667539281e-01f);
  return __builtin_fmaf(p * z, s, s);
}

inline float asin_(float x) {
  const float a = __builtin_fabsf(x);
  const bool big = a > 0.5f;
  const float z = big ? __builtin_fmaf(a, -0.5f, 0.5f) : a * a;
  const float p = asin_poly_(big ? __builtin_sqrtf(z) : a, z);
  return __builtin_copysignf(big ? __builtin_fmaf(-2.0f, p, kHalfPi) : p, x);
}
inline double asin_(double x) { return std::asin(x); }

inline float acos_(float x) {
  const float a = __builtin_fabsf(x);
  const bool big = a > 0.5f;
  const float z = big ? __builtin_fmaf(a, -0.5f, 0.5f) : a * a;
  const float p = __builtin_copysignf(asin_poly_(big ? __builtin_sqrtf(z) : a, z), x);
  const float high = __builtin_fmaf(2.0f, p, x < 0.0f ? 3.14159265358979323846f : 0.0f);
  return big ? high : kHalfPi - (p - -4.371138828673793e-08f);
}
inline double acos_(double x) { return std::acos(x); }

inline float atan_poly_(float t) {  // of |t| <= 1
  const float z = t * t;
  float p = 2.9745639002e-03f;
  p = __builtin_fmaf(p, z, -1.65810792435e-02f);
  p = __builtin_fmaf(p, z, 4.35533715518e-02f);
  p = __builtin_fmaf(p, z, -7.58056418942e-02f);
  p = __builtin_fmaf(p, z, 1.06789339061e-01f);
  p = __builtin_fmaf(p, z, -1.42142075682e-01f);
  p = __builtin_fmaf(p, z, 1.99941370212e-01f);
  p = __builtin_fmaf(p, z, -3.33331669586e-01f);
  return __builtin_fmaf(p * z, t, t);
}

inline float atan_(float x) {
  const float a = __builtin_fabsf(x);
  const bool above = a > 1.0f;
  const float p = atan_poly_((above ? 1.0f : a) / (above ? a : 1.0f));
  return __builtin_copysignf(above ? kHalfPi - p : p, x);
}
inline double atan_(double x) { return std::atan(x); }

inline float atan2_(float y, float x) {
  const float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
  const bool steep = b > a;
  const float large = steep ? b : a, small = steep ? a : b;
  float t = small / large;
  t = small == large ? 1.0f : t;
  t = large == 0.0f ? 0.0f : t;
  float r = atan_poly_(t);
  r = steep ? kHalfPi - r : r;
  r = bits_of(x) < 0 ? 3.14159265358979323846f - (r - -8.742277657347586e-08f) : r;
  return x != x || y != y ? __builtin_nanf("") : __builtin_copysignf(r, y);
}
inline double atan2_(double y, double x) { return std::atan2(y, x); }

// log(a + sqrt(a^2 + 1)), written so that small a stay exact; twice a where a^2 may overflow.
inline float asinh_(float x) {
  const float a = __builtin_fabsf(x);
  const bool big = a > 1e9f;
  const float z = a * a;
  const float y = log1p_(big ? a : a + z / (1.0f + __builtin_sqrtf(1.0f + z)));
  return __builtin_copysignf(big ? y + 0.693147180559945f : y, x);
}
inline double asinh_(double x) { return std::asinh(x); }

inline float acosh_(float x) {
  const bool big = x > 1e9f;
  const float t = x - 1.0f;
  const float y = log1p_(big ? x : t + __builtin_sqrtf(__builtin_fmaf(t, t, 2.0f * t)));
  return big ? y + 0.693147180559945f : x >= 1.0f ? y : __builtin_nanf("");
}
inline double acosh_(double x) { return std::acosh(x); }

inline float atanh_(float x) {
  const float a = __builtin_fabsf(x);
  const float y = 0.5f * log1p_((a + a) / (1.0f - a));
  return __builtin_copysignf(a <= 1.0f ? y : __builtin_nanf(""), x);
}
inline double atanh_(double x) { return std::atanh(x); }

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
