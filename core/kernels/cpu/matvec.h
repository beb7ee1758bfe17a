// Matrix times vector, products of integer matrices, and the scaled sums of addmm and addr.
//
// An element of a floating matrix-vector product is the sum of 128 bytes' worth of lanes (32 of
// float, 16 of double): lane l adds elements l, l + lanes, ... in order by fma, then the upper half
// of the lanes is added to the lower one until one is left. Rows and columns give the same bits.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct MatvecArgs {
  int64_t m = 0, k = 0;
  const void* a = nullptr;  // [m, k]
  int64_t stride = 0;       // elements between rows, or between columns
  bool by_columns = false;  // columns are contiguous, not rows
  const void* x = nullptr;  // [k], contiguous
  void* y = nullptr;        // [m], contiguous
};

// Any number type; false: the dtype has no such function.
OA_CPU_KERNEL(bool, matvec, (DType dtype, const MatvecArgs& args), (dtype, args))

struct IntegerProduct {
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;  // [m, k], element strides
  int64_t a_row = 0, a_col = 0;
  const void* b = nullptr;  // [k, n], columns contiguous
  int64_t b_row = 0;
  void* c = nullptr;  // [m, n], columns contiguous
  int64_t c_row = 0;
  bool accumulate = false;
};
OA_CPU_KERNEL(bool, integer_product, (DType dtype, const IntegerProduct& args), (dtype, args))

// out = p0 x + p1 y; operands out, x, y.
OA_CPU_KERNEL(Inner, scaled_sum, (DType dtype), (dtype))
// out = p1 y + p0 u v; operands out, y, u, v.
OA_CPU_KERNEL(Inner, scaled_product_sum, (DType dtype), (dtype))

}  // namespace oneagent::cpu
