// The gamma function's relatives, by name; float32 and float64.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Gamma : uint8_t {
  kLgamma,
  kDigamma,
  kPolygamma  // derivative integer[0] >= 1 of digamma
};
OA_CPU_KERNEL(Inner, gamma, (Gamma function, DType dtype), (function, dtype))
inline Inner inner_of(Gamma function, DType dtype) { return gamma(function, dtype); }

enum class Gamma2 : uint8_t {
  kZeta,    // Hurwitz: sum of (b + k)^-a
  kIgamma,  // regularised incomplete gamma functions P(a, b) and Q(a, b)
  kIgammac
};
OA_CPU_KERNEL(Inner, gamma2, (Gamma2 function, DType dtype), (function, dtype))
inline Inner inner_of(Gamma2 function, DType dtype) { return gamma2(function, dtype); }

}  // namespace oneagent::cpu
