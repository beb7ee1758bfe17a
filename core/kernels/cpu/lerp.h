// Linear interpolation, exact at both ends.
#pragma once

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
inline T lerp_of(T a, T b, T weight) {
  return abs_(weight) < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
