// The parts of attention that are not matrix products, on one block of scores (rows: queries,
// columns: keys), with softmax taken online (Milakov and Gimelshein 2018; Dao et al. 2022).
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct AttentionBlock {
  void* scores = nullptr;  // [rows, cols], rows `step` apart; products of queries and keys
  int64_t step = 0, rows = 0, cols = 0;
  double scale = 1;
  const void* mask = nullptr;  // added to the scaled scores, or bool: false means -inf; or null
  bool mask_is_bool = false;
  int64_t mask_row = 0, mask_col = 0;  // strides in elements
  bool causal = false;
  int64_t visible = 0;  // causal: row r sees visible + r columns
  // Dropout of probabilities where keep < 1; element (r, c) draws from block counter + r
  // counter_row + c.
  double keep = 1;
  uint64_t seed = 0, stream = 0, counter = 0, counter_row = 0;
};

// Scores become exp(score - top), top and sum [rows] are brought up to date, factor [rows] is what
// earlier results must be multiplied by.
OA_CPU_KERNEL(void, attention_online,
              (DType dtype, const AttentionBlock& block, void* top, void* sum, void* factor),
              (dtype, block, top, sum, factor))

// out [rows, n] (rows `step` apart) times factor[row]; or divided by it.
OA_CPU_KERNEL(void, attention_rescale,
              (DType dtype, void* out, int64_t step, int64_t rows, int64_t n, const void* factor,
               bool divide),
              (dtype, out, step, rows, n, factor, divide))

// low = top + log(sum)
OA_CPU_KERNEL(void, attention_logarithm,
              (DType dtype, int64_t rows, const void* top, const void* sum, void* low),
              (dtype, rows, top, sum, low))

// Scores become probabilities exp(score - low); `dropped` (may be the same memory) gets them after
// dropout.
OA_CPU_KERNEL(void, attention_probabilities,
              (DType dtype, const AttentionBlock& block, const void* low, void* dropped),
              (dtype, block, low, dropped))

// block.scores holds probabilities P, gradient the products dO V^T, which become P (gradient -
// shift); with `to_mask` these are added to it (strides mask_row, mask_col); then they are
// multiplied by the scale.
OA_CPU_KERNEL(void, attention_gradient,
              (DType dtype, const AttentionBlock& block, void* gradient, const void* shift,
               void* to_mask),
              (dtype, block, gradient, shift, to_mask))

// out[r] = sum_i a[r, i] b[r, i]
OA_CPU_KERNEL(void, row_products,
              (DType dtype, const void* a, int64_t a_step, const void* b, int64_t b_step,
               int64_t rows, int64_t n, void* out),
              (dtype, a, a_step, b, b_step, rows, n, out))

}  // namespace oneagent::cpu
