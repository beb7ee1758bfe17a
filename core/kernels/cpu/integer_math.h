// Functions of integers. Overflow wraps around.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
inline T power_of_integers(T base, int64_t exponent) {
  if (exponent < 0)
    return base == T(1) ? T(1) : base == T(-1) ? T(exponent % 2 == 0 ? 1 : -1) : T(0);
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (; exponent != 0; exponent >>= 1, factor *= factor)
    if ((exponent & 1) != 0) result *= factor;
  return static_cast<T>(result);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
