// C = A B, row by row: every element is one sum over k in order, c = fma(a[k], b[k], c), so that a
// row's bits depend neither on the number of rows nor on the split of M or N over threads, nor on
// AVX2 or AVX-512. Then bias and activation, while C is in registers or cache.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class Activation : uint8_t { kNone, kRelu, kTanh, kSigmoid };

struct GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;  // [m, k], element strides a_row and a_col
  int64_t a_row = 0, a_col = 0;
  const void* b = nullptr;  // [k, n]
  int64_t b_row = 0, b_col = 0;
  void* c = nullptr;  // [m, n], columns contiguous
  int64_t c_row = 0;
  const void* bias = nullptr;  // [n] or null
  bool accumulate = false;     // C += A B
  Activation activation = Activation::kNone;
  void* workspace = nullptr;  // of gemm_workspace() bytes, 64-byte aligned
};

// Sizes of blocks: of k, so that a panel of B stays in the first cache; of rows, so that those of A
// stay in the second; of columns, so that B's block stays in the third.
inline constexpr int64_t kGemmDepth = 256, kGemmRows = 96, kGemmColumns = 1024;

// Whether rows of A are copied first: they lie across, and are read often.
inline bool gemm_packs_rows(const GemmArgs& args) { return args.a_col != 1 && args.n >= 192; }

// Whether C^T = B^T A^T is computed: B lies across, and few rows do not pay for turning it.
inline bool gemm_turns(const GemmArgs& args) {
  return args.b_row == 1 && args.b_col != 1 && args.m >= 16 && args.m <= 64 &&
         args.n >= 4 * args.m && args.k >= 64;
}

// Bytes for the packed blocks of B and A.
inline size_t gemm_workspace(DType dtype, const GemmArgs& args) {
  const int64_t depth = args.k < kGemmDepth ? args.k : kGemmDepth;
  if (gemm_turns(args))  // A turned, rows of the result, and a block of the product's own
    return static_cast<size_t>(64 * (args.k + kGemmRows + depth)) *
           (dtype == DType::kFloat64 ? 8 : 4);
  const int64_t rows = args.m < 128 ? args.m : 128;  // become columns where there are few of those
  const int64_t columns = args.n < rows ? rows : args.n;
  const int64_t block = columns < kGemmColumns ? (columns + 63) / 64 * 64 : kGemmColumns;
  return static_cast<size_t>((block + (gemm_packs_rows(args) ? kGemmRows : 0)) * depth) *
         (dtype == DType::kFloat64 ? 8 : 4);
}

OA_CPU_KERNEL(void, gemm, (DType dtype, const GemmArgs& args), (dtype, args))  // float32 or float64

}  // namespace oneagent::cpu
