// Relatives of the error function, by name; float32 and float64. erf and erfc are in
// transcendental.h.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class ErrorFunction : uint8_t {
  kErfinv,
  kErfcx,    // exp(x^2) erfc(x)
  kNdtr,     // distribution function of N(0, 1)
  kNdtri,    // its inverse
  kLogNdtr,  // its logarithm
  kEntr      // -x log(x)
};
OA_CPU_KERNEL(Inner, error_function, (ErrorFunction function, DType dtype), (function, dtype))
inline Inner inner_of(ErrorFunction function, DType dtype) {
  return error_function(function, dtype);
}

}  // namespace oneagent::cpu
