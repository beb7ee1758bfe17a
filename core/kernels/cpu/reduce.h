// Reductions of contiguous [outer, count, inner] arrays over the middle dimension. Sums use fixed
// lanes and fixed blocks: the same bits on every build, for any split of outer or inner.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Reduce : uint8_t { kSum, kProd, kMax, kMin, kAny, kAll, kSumSquares };

struct ReduceArgs {
  const void* in = nullptr;
  void* out = nullptr;  // [outer, inner]; dtype of in, for kAny and kAll bool
  int64_t outer = 1, count = 0, inner = 1;
  bool reversed = false;  // cumsum from the end
};

// True if the dtype has the reduction.
OA_CPU_KERNEL(bool, reduce, (Reduce function, DType dtype, const ReduceArgs& args),
              (function, dtype, args))

// int64 index of the first largest (or smallest) value; a NaN wins.
OA_CPU_KERNEL(bool, arg_reduce, (bool largest, DType dtype, const ReduceArgs& args),
              (largest, dtype, args))

OA_CPU_KERNEL(bool, cumsum, (DType dtype, const ReduceArgs& args),
              (dtype, args))  // out is [outer, count, inner]

}  // namespace oneagent::cpu
