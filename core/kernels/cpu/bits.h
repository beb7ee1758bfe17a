// Bitwise functions of integers, by name; and, or, xor and not also of bool.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Bits : uint8_t {
  kAnd,
  kOr,
  kXor,
  kLeft,  // 0 where the shift is negative or as wide as the type
  kRight  // with the sign; all of it where the shift is negative or as wide as the type
};
OA_CPU_KERNEL(Inner, bits, (Bits function, DType dtype), (function, dtype))
inline Inner inner_of(Bits function, DType dtype) { return bits(function, dtype); }

enum class Bits1 : uint8_t { kNot };
OA_CPU_KERNEL(Inner, bits1, (Bits1 function, DType dtype), (function, dtype))
inline Inner inner_of(Bits1 function, DType dtype) { return bits1(function, dtype); }

}  // namespace oneagent::cpu
