// Reductions of [outer, count, inner] arrays over the middle dimension. Sums use fixed lanes and
// fixed blocks: the same bits on every build, for any split of outer or inner.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Reduce : uint8_t {
  kSum,  // of integers: int64
  kNanSum,
  kProd,  // of integers: int64
  kMax,   // a NaN wins
  kMin,
  kAny,    // the result is bool
  kAll,    // the result is bool
  kCount,  // of what is not zero: int64
  kSumSquares,
  kSumAbs,
  kMaxAbs,
  kMinAbs,
  kSumPower  // of |x| ^ power
};

struct ReduceArgs {
  const void* in = nullptr;
  void* out = nullptr;  // [outer, inner], contiguous
  int64_t outer = 1, count = 0, inner = 1;
  int64_t outer_stride = 0, count_stride = 1;  // of `in`, in elements; inner elements are adjacent
  double power = 2;                            // of kSumPower
};

// True if the dtype has the reduction.
OA_CPU_KERNEL(bool, reduce, (Reduce function, DType dtype, const ReduceArgs& args),
              (function, dtype, args))

// The smallest and the largest in one pass: args.out is the smallest, `most` like it.
OA_CPU_KERNEL(bool, min_max, (DType dtype, const ReduceArgs& args, void* most), (dtype, args, most))

}  // namespace oneagent::cpu
