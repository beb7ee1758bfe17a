// Elementwise functions of three operands of one dtype.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Blend : uint8_t {
  kAddcmul,  // a + number[0] b c
  kAddcdiv,  // a + number[0] b / c
  kLerp,     // a + c (b - a)
  kClamp     // min(max(a, b), c); NaN wins
};
OA_CPU_KERNEL(Inner, blend, (Blend function, DType dtype), (function, dtype))
inline Inner inner_of(Blend function, DType dtype) { return blend(function, dtype); }

}  // namespace oneagent::cpu
