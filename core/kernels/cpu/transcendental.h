// Exponential, logarithmic, trigonometric and hyperbolic functions, by name; float32 and float64.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Transcendental : uint8_t {
  kExp,
  kExp2,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSigmoid,
  kTanh,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinc,  // sin(pi x) / (pi x)
  kErf,
  kErfc
};
OA_CPU_KERNEL(Inner, transcendental, (Transcendental function, DType dtype), (function, dtype))
inline Inner inner_of(Transcendental function, DType dtype) {
  return transcendental(function, dtype);
}

// Of two operands.
enum class Transcendental2 : uint8_t {
  kPow,
  kAtan2,
  kHypot,
  kLogaddexp,   // log(exp(a) + exp(b))
  kLogaddexp2,  // log2(2^a + 2^b)
  kXlogy,       // a log(b), 0 for a = 0 unless b is NaN
  kXlog1py
};
OA_CPU_KERNEL(Inner, transcendental2, (Transcendental2 function, DType dtype), (function, dtype))
inline Inner inner_of(Transcendental2 function, DType dtype) {
  return transcendental2(function, dtype);
}

// log(x / (1 - x)), x limited to [number[0], 1 - number[0]] where that is not negative.
OA_CPU_KERNEL(Inner, logit, (DType dtype), (dtype))
// (gradient, x): the gradient over x (1 - x); where logit has no slope, 0, or NaN without an eps.
OA_CPU_KERNEL(Inner, logit_backward, (DType dtype), (dtype))

// x to the power params.number[0].
OA_CPU_KERNEL(Inner, power, (DType dtype), (dtype))

}  // namespace oneagent::cpu
