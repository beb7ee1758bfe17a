#include "core/kernels/cpu/move.h"

#include "core/kernels/cpu/transpose.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// 8 x 8 elements of 4 bytes, 4 x 4 of 8.
template <class T, class Number>
struct TileOf {
  using Element = T;
  static constexpr int64_t kSide = kTransposed<Number>;
  static void move(char* to, int64_t to_step, const char* from, int64_t from_step) {
    constexpr int64_t kWidth = sizeof(T);
    transpose_block(reinterpret_cast<const Number*>(from), from_step / kWidth,
                    reinterpret_cast<Number*>(to), to_step / kWidth);
  }
};
using Tile4 = TileOf<uint32_t, float>;
using Tile8 = TileOf<uint64_t, double>;

// 8 x 8 elements of 2 bytes.
struct Tile2 {
  using Element = uint16_t;
  static constexpr int64_t kSide = 8;
  static void move(char* to, int64_t to_step, const char* from, int64_t from_step) {
    __m128i r[8], t[8];
    for (int i = 0; i < 8; ++i)
      r[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * from_step));
    for (int i = 0; i < 4; ++i) {
      t[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
      t[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
      r[2 * i] = _mm_unpacklo_epi16(t[i], t[i + 4]);
      r[2 * i + 1] = _mm_unpackhi_epi16(t[i], t[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
      t[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
      t[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 8; ++i)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_step), t[i]);
  }
};

// 8 x 8 bytes.
struct Tile1 {
  using Element = uint8_t;
  static constexpr int64_t kSide = 8;
  static void move(char* to, int64_t to_step, const char* from, int64_t from_step) {
    __m128i r[8], t[4];
    for (int i = 0; i < 8; ++i)
      r[i] = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i * from_step));
    for (int i = 0; i < 4; ++i) t[i] = _mm_unpacklo_epi8(r[i], r[i + 4]);
    for (int i = 0; i < 2; ++i) {
      r[2 * i] = _mm_unpacklo_epi8(t[i], t[i + 2]);
      r[2 * i + 1] = _mm_unpackhi_epi8(t[i], t[i + 2]);
    }
    for (int i = 0; i < 2; ++i) {
      t[2 * i] = _mm_unpacklo_epi8(r[i], r[i + 2]);
      t[2 * i + 1] = _mm_unpackhi_epi8(r[i], r[i + 2]);
    }
    for (int i = 0; i < 4; ++i) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 2 * i * to_step), t[i]);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(to + (2 * i + 1) * to_step),
                       _mm_unpackhi_epi64(t[i], t[i]));
    }
  }
};

template <class T>
void move_edge(char* to, const char* from, int64_t rows, int64_t columns, int64_t to_step,
               int64_t from_step) {
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i)
      reinterpret_cast<T*>(to + j * to_step)[i] =
          reinterpret_cast<const T*>(from + i * from_step)[j];
}

// Blocks are as wide as a cache line or more, so that each line is read and written whole.
template <class Tile>
void plane(char* to, const char* from, int64_t rows, int64_t columns, int64_t to_step,
           int64_t from_step) {
  using T = typename Tile::Element;
  constexpr int64_t kSide = Tile::kSide, kWidth = sizeof(T), kBlock = 64 / kWidth;
  const int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (int64_t i = 0; i < whole_rows; i += kBlock)
    for (int64_t j = 0; j < whole_columns; j += kBlock) {
      const int64_t last_i = i + kBlock < whole_rows ? i + kBlock : whole_rows;
      const int64_t last_j = j + kBlock < whole_columns ? j + kBlock : whole_columns;
      for (int64_t b = j; b < last_j; b += kSide)
        for (int64_t a = i; a < last_i; a += kSide)
          Tile::move(to + b * to_step + a * kWidth, to_step, from + a * from_step + b * kWidth,
                     from_step);
    }
  if (whole_columns < columns)
    move_edge<T>(to + whole_columns * to_step, from + whole_columns * kWidth, whole_rows,
                 columns - whole_columns, to_step, from_step);
  if (whole_rows < rows)
    move_edge<T>(to + whole_rows * kWidth, from + whole_rows * from_step, rows - whole_rows,
                 columns, to_step, from_step);
}

template <class T>
void reverse(char* to, const char* last, int64_t n) {
  T* out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(last) - (n - 1);
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    const __m256i order = _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for (; i + 8 <= n; i += 8)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(out + i),
          _mm256_permutevar8x32_epi32(
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + n - i - 8)), order));
  } else if constexpr (sizeof(T) == 8) {
    for (; i + 4 <= n; i += 4)
      _mm256_storeu_si256(
          reinterpret_cast<__m256i*>(out + i),
          _mm256_permute4x64_epi64(
              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + n - i - 4)), 0x1b));
  } else {
    const __m128i order = sizeof(T) == 1
                              ? _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
                              : _mm_setr_epi8(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
    constexpr int64_t kLanes = 16 / sizeof(T);
    for (; i + kLanes <= n; i += kLanes)
      _mm_storeu_si128(
          reinterpret_cast<__m128i*>(out + i),
          _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + n - i - kLanes)),
                           order));
  }
  for (; i < n; ++i) out[i] = in[n - 1 - i];
}

}  // namespace

void transpose_plane(char* to, const char* from, int64_t rows, int64_t columns, int64_t to_step,
                     int64_t from_step, size_t width) {
  switch (width) {
    case 1:
      return plane<Tile1>(to, from, rows, columns, to_step, from_step);
    case 2:
      return plane<Tile2>(to, from, rows, columns, to_step, from_step);
    case 4:
      return plane<Tile4>(to, from, rows, columns, to_step, from_step);
    default:
      return plane<Tile8>(to, from, rows, columns, to_step, from_step);
  }
}

void reverse_row(char* to, const char* last, int64_t n, size_t width) {
  switch (width) {
    case 1:
      return reverse<uint8_t>(to, last, n);
    case 2:
      return reverse<uint16_t>(to, last, n);
    case 4:
      return reverse<uint32_t>(to, last, n);
    default:
      return reverse<uint64_t>(to, last, n);
  }
}

}  // namespace oneagent::cpu::OA_ISA
