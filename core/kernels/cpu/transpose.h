// Transposes of small blocks in registers: [8, 8] of float, [4, 4] of double.
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
inline constexpr int kTransposed = 32 / sizeof(T);  // rows and columns of a block

// r[j][i] = r[i][j]
inline void transpose_registers(__m256 (&r)[8]) {
  __m256 t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    r[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
    r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m256 low = r[i], high = r[i + 4];
    r[i] = _mm256_permute2f128_ps(low, high, 0x20);
    r[i + 4] = _mm256_permute2f128_ps(low, high, 0x31);
  }
}

// Columns of [8, 4]: r[i] holds rows i and i + 4 of the block, r[j] then its column j.
inline void transpose_halves(__m256 (&r)[4]) {
  const __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
  const __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
  r[0] = _mm256_shuffle_ps(a, c, 0x44);
  r[1] = _mm256_shuffle_ps(a, c, 0xee);
  r[2] = _mm256_shuffle_ps(b, d, 0x44);
  r[3] = _mm256_shuffle_ps(b, d, 0xee);
}

// to[j * to_row + i] = from[i * from_row + j] + shift[j] for i < 8, j < 4; shift may be null.
// Halves of rows are joined as they are loaded, which takes no port that shuffles need.
inline void transpose_half_block(const float* from, int64_t from_row, float* to, int64_t to_row,
                                 const float* shift = nullptr) {
  __m256 r[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i)
    r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + i * from_row)),
                                _mm_loadu_ps(from + (i + 4) * from_row), 1);
  transpose_halves(r);
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j)
    _mm256_storeu_ps(to + j * to_row,
                     shift == nullptr ? r[j] : _mm256_add_ps(r[j], _mm256_set1_ps(shift[j])));
}

// The same for j < 8.
inline void transpose_block(const float* from, int64_t from_row, float* to, int64_t to_row,
                            const float* shift = nullptr) {
  transpose_half_block(from, from_row, to, to_row, shift);
  transpose_half_block(from + 4, from_row, to + 4 * to_row, to_row,
                       shift == nullptr ? nullptr : shift + 4);
}

// The same from the first `count` rows, 0 <= count <= 8; the columns behind them are zero.
inline void transpose_part(const float* from, int64_t from_row, int64_t count, float* to,
                           int64_t to_row) {
  __m256 r[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i)
    r[i] = i < count ? _mm256_loadu_ps(from + i * from_row) : _mm256_setzero_ps();
  transpose_registers(r);
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) _mm256_storeu_ps(to + i * to_row, r[i]);
}
inline void transpose_part(const double* from, int64_t from_row, int64_t count, double* to,
                           int64_t to_row) {
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) to[j * to_row + i] = i < count ? from[i * from_row + j] : 0.0;
}

inline void transpose_block(const double* from, int64_t from_row, double* to, int64_t to_row,
                            const double* shift = nullptr) {
  __m256d r[4], t[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(from + i * from_row);
  if (shift != nullptr) {
    const __m256d s = _mm256_loadu_pd(shift);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) r[i] = _mm256_add_pd(r[i], s);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    t[2 * i] = _mm256_unpacklo_pd(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_pd(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    _mm256_storeu_pd(to + i * to_row, _mm256_permute2f128_pd(t[i], t[i + 2], 0x20));
    _mm256_storeu_pd(to + (i + 2) * to_row, _mm256_permute2f128_pd(t[i], t[i + 2], 0x31));
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
