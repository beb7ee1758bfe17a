// Orthogonal polynomials of degree n (the second operand, cut to an integer), by name; float32 and
// float64. The shifted forms are those of 2 x - 1. Negative degrees give 0.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Orthogonal : uint8_t {
  kChebyshevT,
  kChebyshevU,
  kChebyshevV,
  kChebyshevW,
  kShiftedChebyshevT,
  kShiftedChebyshevU,
  kShiftedChebyshevV,
  kShiftedChebyshevW,
  kHermiteH,   // the physicist's
  kHermiteHe,  // the probabilist's
  kLaguerreL,
  kLegendreP
};
OA_CPU_KERNEL(Inner, orthogonal, (Orthogonal function, DType dtype), (function, dtype))
inline Inner inner_of(Orthogonal function, DType dtype) { return orthogonal(function, dtype); }

}  // namespace oneagent::cpu
