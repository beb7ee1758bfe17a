// Elementwise functions of two operands of one dtype, comparisons (result bool), selection and
// conversion.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kPow,  // of integers; of floating types in transcendental.h
  kMinimum,
  kMaximum,
  kFmin,  // a NaN loses
  kFmax,
  kAddScaled,  // a + number[0] b
  kCopysign,
  kHeaviside,
  kNextafter,
  kLerp,  // a + number[0] (b - a)
  kTanhGrad,
  kSigmoidGrad,
  kReluGrad,  // (gradient, result)
  kGeluGrad,
  kSoftplusGrad,
  kEluGrad  // (gradient, operand); elu: (gradient, result), number[0] = alpha
};
OA_CPU_KERNEL(Inner, binary, (Binary function, DType dtype), (function, dtype))
inline Inner inner_of(Binary function, DType dtype) { return binary(function, dtype); }

// kIsClose: |a - b| <= number[1] + number[0] |b| or equal; integer[2]: NaN equals NaN.
enum class Compare : uint8_t { kEqual, kNotEqual, kLess, kLessEqual, kAnd, kOr, kXor, kIsClose };
OA_CPU_KERNEL(Inner, compare, (Compare function, DType dtype), (function, dtype))
inline Inner inner_of(Compare function, DType dtype) { return compare(function, dtype); }

// out = condition ? a : b; operands: out, condition (bool), a, b.
OA_CPU_KERNEL(Inner, select, (DType dtype), (dtype))

// out = static_cast<to>(in); also the strided copy where both are equal.
OA_CPU_KERNEL(Inner, cast, (DType to, DType from), (to, from))

}  // namespace oneagent::cpu
