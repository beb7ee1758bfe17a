// Blocks of gemm's operands, copied to where its tiles read them one element behind another:
// panels [depth, width] of B, strips [depth, rows] of A.
#pragma once

#include "core/kernels/cpu/gemm_tile.h"
#include "core/kernels/cpu/transpose.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// to[k * width + j] = from[k * row + j * column] for j < count, zero beyond.
template <class T>
void pack_plain(const T* from, int64_t row, int64_t column, int64_t depth, int64_t count,
                int64_t width, T* to) {
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t j = 0; j < count; ++j) to[k * width + j] = from[k * row + j * column];
    for (int64_t j = count; j < width; ++j) to[k * width + j] = T(0);
  }
}

template <class T>
void pack_rows(const T* from, int64_t row, int64_t depth, int64_t width, T* to) {
  using V = Vec<T>;
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t j = 0; j < width; j += V::kWidth)
      V::store(to + k * width + j, V::load(from + k * row + j));
}

// One panel [depth, width] of B, zero beyond `columns`; width is a multiple of Vec<T>::kWidth.
template <class T>
void pack_panel(const T* b, int64_t b_row, int64_t b_col, int64_t depth, int64_t columns,
                int64_t width, T* to) {
  constexpr int kSide = kTransposed<T>;
  if (b_col == 1 && columns == width) return pack_rows(b, b_row, depth, width, to);
  if (b_row != 1) return pack_plain(b, b_row, b_col, depth, columns, width, to);
  int64_t whole = depth / kSide * kSide;
  const int64_t filled = columns / kSide * kSide;
  for (int64_t j = 0; j < filled; j += kSide)
    for (int64_t k = 0; k < whole; k += kSide)
      transpose_block(b + j * b_col + k, b_col, to + k * width + j, width);
  for (int64_t j = filled; j < width; j += kSide)
    for (int64_t k = 0; k < whole; k += kSide)
      transpose_part(b + (j < columns ? j * b_col : 0) + k, b_col, columns - j, to + k * width + j,
                     width);
  if constexpr (sizeof(T) == 4)
    if (depth - whole >= 4 && columns == width) {  // four k, as of cart and pole
      for (int64_t j = 0; j < width; j += kSide)
        transpose_half_block(b + j * b_col + whole, b_col, to + whole * width + j, width);
      whole += 4;
    }
  pack_plain(b + whole, b_row, b_col, depth - whole, columns, width, to + whole * width);
}

// `count` strips [depth, height] of A below each other, all at once, because they share cache lines
// where A's rows are adjacent.
template <class T>
void pack_strips(const T* a, int64_t a_row, int64_t a_col, int64_t depth, int height, int64_t count,
                 T* to) {
  int64_t k = 0;
  if constexpr (sizeof(T) == 4) {
    // Eight elements are moved; the last two are overwritten by those of the next k.
    if (a_row == 1 && height == kTileRows && a_col >= kTileRows * count)
      for (; k + 1 < depth; ++k)
        for (int64_t strip = 0; strip < count; ++strip)
          _mm256_storeu_ps(to + (strip * depth + k) * kTileRows,
                           _mm256_loadu_ps(a + k * a_col + strip * kTileRows));
  }
  for (; k < depth; ++k)
    for (int64_t strip = 0; strip < count; ++strip)
      for (int r = 0; r < height; ++r)
        to[(strip * depth + k) * height + r] = a[k * a_col + (strip * height + r) * a_row];
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
