// Comparisons and logic whose result, 0 or 1, has the operands' own type: what eq_, lt_ ... store.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class CompareInPlace : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kXor
};

// Null where the dtype is neither a number's nor bool.
OA_CPU_KERNEL(Inner, compare_in_place, (CompareInPlace function, DType dtype), (function, dtype))
inline Inner inner_of(CompareInPlace function, DType dtype) {
  return compare_in_place(function, dtype);
}

}  // namespace oneagent::cpu
