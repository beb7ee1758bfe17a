// Bessel, modified Bessel and Airy functions, by name; float32 and float64.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Bessel : uint8_t {
  kI0,
  kI0e,  // exp(-|x|) I0(x)
  kI1,
  kI1e,
  kK0,
  kK0e,  // exp(x) K0(x)
  kK1,
  kK1e,
  kJ0,
  kJ1,
  kY0,
  kY1,
  kSphericalJ0,
  kAiryAi
};
OA_CPU_KERNEL(Inner, bessel, (Bessel function, DType dtype), (function, dtype))
inline Inner inner_of(Bessel function, DType dtype) { return bessel(function, dtype); }

}  // namespace oneagent::cpu
