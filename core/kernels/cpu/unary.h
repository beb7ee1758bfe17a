// Elementwise functions of one operand, by name and dtype. Those with a number read params (add:
// number[0], clamp: both).
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Unary : uint8_t {
  kNeg,
  kAbs,
  kSquare,
  kSign,
  kExp,
  kLog,
  kLog1p,
  kExpm1,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kTanh,
  kSigmoid,
  kRelu,
  kGelu,
  kElu,
  kSoftplus,
  kSin,
  kCos,
  kErf,
  kFloor,
  kCeil,
  kRound,
  kAddNumber,
  kMulNumber,
  kReverseSub,
  kDivNumber,
  kReverseDiv,
  kPowNumber,
  kClamp
};

// Null where the function has no form for the dtype. The result has the operand's dtype.
OA_CPU_KERNEL(Inner, unary, (Unary function, DType dtype), (function, dtype))

// Tests of one operand; the result is bool.
enum class Test : uint8_t { kIsNan, kIsFinite, kIsZero };
OA_CPU_KERNEL(Inner, test, (Test function, DType dtype), (function, dtype))

}  // namespace oneagent::cpu
