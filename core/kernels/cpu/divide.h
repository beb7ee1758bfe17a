// Division with rounding and remainders, by name: float32, float64 and integers. Divisors of
// integers must not be 0 (has_zero says whether one is).
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Divide : uint8_t {
  kTrunc,      // rounds towards 0
  kFloor,      // rounds down
  kFmod,       // the remainder of kTrunc, with the sign of a
  kRemainder,  // the remainder of kFloor, with the sign of b
  kGcd,        // of integers only
  kLcm
};
OA_CPU_KERNEL(Inner, divide, (Divide function, DType dtype), (function, dtype))
inline Inner inner_of(Divide function, DType dtype) { return divide(function, dtype); }

// Whether any of n contiguous elements of an integral type is 0.
OA_CPU_KERNEL(bool, has_zero, (DType dtype, const void* data, int64_t n), (dtype, data, n))

}  // namespace oneagent::cpu
