// Elementary functions as explicit fmaf polynomials without branches, so that loops over them
// vectorise and every split of an array and every build gives the same bits. Errors against a
// double reference: exp 1 ulp, log 1 ulp, tanh 4e-7 absolute, sigmoid 2 ulp. double uses libm.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

inline float float_of(int32_t bits) { return __builtin_bit_cast(float, bits); }
inline int32_t bits_of(float value) { return __builtin_bit_cast(int32_t, value); }

// Cephes expf: n = round(x / ln 2), polynomial on the rest, scaled by 2^n in two steps.
inline float exp_(float x) {
  const float high = 88.7228394f, low = -103.972084f;
  float c = x > high ? high : x;
  c = c < low ? low : c;
  const float n = __builtin_floorf(__builtin_fmaf(c, 1.44269504088896341f, 0.5f));
  float r = __builtin_fmaf(n, -0.693359375f, c);
  r = __builtin_fmaf(n, 2.12194440e-4f, r);
  float p = 1.9875691500e-4f;
  p = __builtin_fmaf(p, r, 1.3981999507e-3f);
  p = __builtin_fmaf(p, r, 8.3334519073e-3f);
  p = __builtin_fmaf(p, r, 4.1665795894e-2f);
  p = __builtin_fmaf(p, r, 1.6666665459e-1f);
  p = __builtin_fmaf(p, r, 5.0000001201e-1f);
  p = __builtin_fmaf(p, r * r, r) + 1.0f;
  const int32_t whole = static_cast<int32_t>(n);
  const int32_t half = whole >> 1;
  float y = p * float_of((half + 127) << 23) * float_of((whole - half + 127) << 23);
  y = x > high ? __builtin_inff() : y;
  return x < low ? 0.0f : y;
}
inline double exp_(double x) { return std::exp(x); }

// Cephes logf on m in [sqrt(1/2), sqrt(2)).
inline float log_(float x) {
  const bool small = x < 1.17549435e-38f;
  const float scaled = small ? x * 8388608.0f : x;
  const int32_t bits = bits_of(scaled);
  float e = static_cast<float>((bits >> 23) - 126) - (small ? 23.0f : 0.0f);
  float m = float_of((bits & 0x007fffff) | 0x3f000000);
  const bool below = m < 0.707106781186547524f;
  e = below ? e - 1.0f : e;
  m = below ? m + m - 1.0f : m - 1.0f;
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
  float y = p * m * z;
  y = __builtin_fmaf(e, -2.12194440e-4f, y);
  y = __builtin_fmaf(-0.5f, z, y);
  y = __builtin_fmaf(e, 0.693359375f, m + y);
  y = x == __builtin_inff() ? x : y;
  y = x == 0.0f ? -__builtin_inff() : y;
  return x >= 0.0f ? y : __builtin_nanf("");
}
inline double log_(double x) { return std::log(x); }

// Rational approximation of degree 13/6 (the one that Eigen uses); at the limit it is exactly 1
// when evaluated with fma.
inline float tanh_(float x) {
  const float limit = 7.99881172180175781f;
  float c = x > limit ? limit : x;
  c = c < -limit ? -limit : c;
  const float z = c * c;
  float p = -2.76076847742355e-16f;
  p = __builtin_fmaf(p, z, 2.00018790482477e-13f);
  p = __builtin_fmaf(p, z, -8.60467152213735e-11f);
  p = __builtin_fmaf(p, z, 5.12229709037114e-08f);
  p = __builtin_fmaf(p, z, 1.48572235717979e-05f);
  p = __builtin_fmaf(p, z, 6.37261928875436e-04f);
  p = __builtin_fmaf(p, z, 4.89352455891786e-03f);
  float q = 1.19825839466702e-06f;
  q = __builtin_fmaf(q, z, 1.18534705686654e-04f);
  q = __builtin_fmaf(q, z, 2.26843463243900e-03f);
  q = __builtin_fmaf(q, z, 4.89352518554385e-03f);
  const float y = c * p / q;
  return __builtin_fabsf(x) < 0.0004f ? x : y;
}
inline double tanh_(double x) { return std::tanh(x); }

template <class T>
inline T sigmoid_(T x) {
  return T(1) / (T(1) + exp_(-x));
}

inline float sqrt_(float x) { return __builtin_sqrtf(x); }
inline double sqrt_(double x) { return __builtin_sqrt(x); }
inline float abs_(float x) { return __builtin_fabsf(x); }
inline double abs_(double x) { return __builtin_fabs(x); }
inline float fma_(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma_(double a, double b, double c) { return __builtin_fma(a, b, c); }

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
