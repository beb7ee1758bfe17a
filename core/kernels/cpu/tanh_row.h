// tanh of a row: math.h's tanh_, with the same bits, in registers. Loops over tanh_ itself do not
// get the processor's minimum and maximum, because they treat NaN as the language says.
#pragma once

#include "core/kernels/cpu/math.h"
#include OA_ISA_VEC

namespace oneagent::cpu::OA_ISA {
namespace {

inline void tanh_row(const float* in, float* out, int64_t n) {
  using V = Vec<float>;
  const V::Reg limit = V::splat(7.99881172180175781f), lower = V::splat(-7.99881172180175781f);
  int64_t i = 0;
  for (; i + V::kWidth <= n; i += V::kWidth) {
    const V::Reg x = V::load(in + i);
    const V::Reg c = V::max(lower, V::min(limit, x));
    const V::Reg z = V::mul(c, c);
    V::Reg p = V::splat(-2.76076847742355e-16f);
    p = V::fma(p, z, V::splat(2.00018790482477e-13f));
    p = V::fma(p, z, V::splat(-8.60467152213735e-11f));
    p = V::fma(p, z, V::splat(5.12229709037114e-08f));
    p = V::fma(p, z, V::splat(1.48572235717979e-05f));
    p = V::fma(p, z, V::splat(6.37261928875436e-04f));
    p = V::fma(p, z, V::splat(4.89352455891786e-03f));
    V::Reg q = V::splat(1.19825839466702e-06f);
    q = V::fma(q, z, V::splat(1.18534705686654e-04f));
    q = V::fma(q, z, V::splat(2.26843463243900e-03f));
    q = V::fma(q, z, V::splat(4.89352518554385e-03f));
    const V::Reg y = V::div(V::mul(c, p), q);
    V::store(out + i, V::small_or(x, V::splat(0.0004f), y));
  }
  for (; i < n; ++i) out[i] = tanh_(in[i]);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
