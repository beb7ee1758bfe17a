// Error functions for float, in the manner of math.h. Errors against a double reference: erf 2 ulp,
// erfc and erfcx 4 ulp. double uses libm.
#pragma once

#include "core/kernels/cpu/exp_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// Two minimax fits (after N. Juffa): x + x p(x^2), and 1 - exp(-q(|x|)).
inline float erf_(float x) {
  const float a = __builtin_fabsf(x), z = x * x;
  float p = -5.95277558589e-04f;
  p = __builtin_fmaf(p, z, 4.9862737509e-03f);
  p = __builtin_fmaf(p, z, -2.67623945064e-02f);
  p = __builtin_fmaf(p, z, 1.12817169439e-01f);
  p = __builtin_fmaf(p, z, -3.76124863686e-01f);
  p = __builtin_fmaf(p, z, 1.28379148895e-01f);
  p = __builtin_fmaf(p, a, a);
  const float c = a > 4.0f ? 4.0f : a;
  float q = __builtin_fmaf(-1.72853470e-5f, c, 3.83197126e-4f);
  const float u = __builtin_fmaf(-3.88396438e-3f, c, 2.42546219e-2f);
  q = __builtin_fmaf(q, c * c, u);
  q = __builtin_fmaf(q, c, -1.06777877e-1f);
  q = __builtin_fmaf(q, c, -6.34846687e-1f);
  q = __builtin_fmaf(q, c, -1.28717512e-1f);
  q = 1.0f - exp_(__builtin_fmaf(q, c, -c));
  const float y = a > 0.927734375f ? q : p;
  return x != x ? x : __builtin_copysignf(y, x);
}
inline double erf_(double x) { return std::erf(x); }

// exp(a^2) erfc(a) of a >= 0: (1 + 2 a) of it is 1 + p(q), q = (a - 2) / (a + 2) (after N. Juffa).
inline float erfcx_positive_(float a) {
  const float r = 1.0f / (a + 2.0f);
  float q = (a - 2.0f) * r;
  q = __builtin_fmaf(r, __builtin_fmaf(q, -a, __builtin_fmaf(q + 1.0f, -2.0f, a)), q);
  float p = 5.92470169e-5f;
  p = __builtin_fmaf(p, q, 1.61224554e-4f);
  p = __builtin_fmaf(p, q, -3.46481771e-4f);
  p = __builtin_fmaf(p, q, -1.39681227e-3f);
  p = __builtin_fmaf(p, q, 1.20588380e-3f);
  p = __builtin_fmaf(p, q, 8.69014394e-3f);
  p = __builtin_fmaf(p, q, -8.01387429e-3f);
  p = __builtin_fmaf(p, q, -5.42122945e-2f);
  p = __builtin_fmaf(p, q, 1.64048523e-1f);
  p = __builtin_fmaf(p, q, -1.66031078e-1f);
  p = __builtin_fmaf(p, q, -9.27637145e-2f);
  p = __builtin_fmaf(p, q, 2.76978403e-1f);
  const float d = 0.5f / (a + 0.5f);
  const float y = __builtin_fmaf(p, d, d);
  const float e = (p - y) + __builtin_fmaf(y + y, -a, 1.0f);
  return __builtin_fmaf(e, d, y);
}

inline float erfc_(float x) {
  const float a = __builtin_fabsf(x);
  const float c = a > 10.0546875f ? 10.0546875f : a;
  const float s = c * c;
  const float e = exp_(-s), r = erfcx_positive_(c);
  float y = __builtin_fmaf(r, e, r * e * __builtin_fmaf(-c, c, s));
  y = a > 10.0546875f ? 0.0f : y;
  y = x < 0.0f ? 2.0f - y : y;
  return x != x ? x : y;
}
inline double erfc_(double x) { return std::erfc(x); }

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
