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

// Stein's algorithm; never negative, and 0 only of zeros.
template <class T>
inline T gcd_of(T x, T y) {
  const auto size = [](T value) {
    const uint64_t bits = static_cast<uint64_t>(value);
    return value < T(0) ? 0 - bits : bits;
  };
  uint64_t a = size(x), b = size(y);
  if (a == 0 || b == 0) return static_cast<T>(a | b);
  const int shift = __builtin_ctzll(a | b);
  a >>= __builtin_ctzll(a);
  while (b != 0) {
    b >>= __builtin_ctzll(b);
    const uint64_t low = a < b ? a : b;
    b = a < b ? b - a : a - b;
    a = low;
  }
  return static_cast<T>(a << shift);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
