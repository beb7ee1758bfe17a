// Elementwise functions of one operand, by name and dtype. Those with a number read params (add:
// number[0], clamp: both).
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Unary : uint8_t {
  kNeg,
  kAbs,
  kSquare,
  kCube,
  kSign,  // of bool, too
  kSqrt,
  kRsqrt,
  kReciprocal,
  kReciprocalSquare,
  kRelu,
  kGelu,
  kElu,
  kSoftplus,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kFrac,
  kRoundDecimals,  // number[0]: 10^|decimals|, integer[0]: whether it divides first
  kNanToNum,       // number[0..2]: for NaN, infinity, -infinity
  kAngle,
  kMantissa,  // of frexp
  kAddNumber,
  kMulNumber,
  kReverseSub,
  kDivNumber,
  kReverseDiv,
  kPowNumber,  // of integers, with integer[0] >= 0; of floating types number[0]
  kClamp
};

// Null where the function has no form for the dtype. The result has the operand's dtype.
OA_CPU_KERNEL(Inner, unary, (Unary function, DType dtype), (function, dtype))
inline Inner inner_of(Unary function, DType dtype) { return unary(function, dtype); }

// The exponent of frexp, as int32.
OA_CPU_KERNEL(Inner, exponent, (DType dtype), (dtype))

// Tests of one operand; the result is bool.
enum class Test : uint8_t { kIsNan, kIsFinite, kIsInf, kIsPosInf, kIsNegInf, kIsZero, kSignBit };
OA_CPU_KERNEL(Inner, test, (Test function, DType dtype), (function, dtype))
inline Inner inner_of(Test function, DType dtype) { return test(function, dtype); }

}  // namespace oneagent::cpu
