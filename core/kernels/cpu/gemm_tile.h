// The register block of gemm: a few rows of C by a panel of columns, over one block of k.
#pragma once

#include OA_ISA_VEC

namespace oneagent::cpu::OA_ISA {
namespace {

inline constexpr int kTileRows = 6;

// C[rows, regs * kWidth] (+)= A B. `strips` such tiles lie below each other, kTileRows apart, over
// the same panel of B.
template <class T>
struct Tile {
  const T* a = nullptr;
  int64_t a_row = 0, a_col = 0, a_strip = 0;  // a_strip: from one tile to the next
  const T* b = nullptr;
  int64_t b_row = 0;
  T* c = nullptr;
  int64_t c_row = 0;
  int64_t depth = 0;
  const T* bias = nullptr;  // added to the sums at the end; or null
  bool load_c = false;
  int64_t strips = 1;
};

template <class T, int Rows, int Regs>
void multiply(const Tile<T>& tile) {
  using V = Vec<T>;
  const int64_t a_row = tile.a_row, a_col = tile.a_col, b_row = tile.b_row, c_row = tile.c_row;
  const int64_t depth = tile.depth, a_strip = tile.a_strip;
  const T* strip = tile.a;
  T* c = tile.c;
  for (int64_t left = tile.strips; left > 0; --left) {
    typename V::Reg sum[Rows][Regs];
    if (tile.load_c) {
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
        for (int j = 0; j < Regs; ++j) sum[r][j] = V::load(c + r * c_row + j * V::kWidth);
    } else {
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
        for (int j = 0; j < Regs; ++j) sum[r][j] = V::zero();
    }
    const T* a = strip;
    const T* b = tile.b;
    for (int64_t k = 0; k < depth; ++k) {
      typename V::Reg row[Regs];
#pragma GCC unroll 8
      for (int j = 0; j < Regs; ++j) row[j] = V::load(b + j * V::kWidth);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        const typename V::Reg value = V::broadcast(a + r * a_row);
#pragma GCC unroll 8
        for (int j = 0; j < Regs; ++j) sum[r][j] = V::fma(value, row[j], sum[r][j]);
      }
      a += a_col;
      b += b_row;
    }
    if (tile.bias != nullptr) {
#pragma GCC unroll 8
      for (int j = 0; j < Regs; ++j) {
        const typename V::Reg bias = V::load(tile.bias + j * V::kWidth);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r) sum[r][j] = V::add(sum[r][j], bias);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int j = 0; j < Regs; ++j) V::store(c + r * c_row + j * V::kWidth, sum[r][j]);
    strip += a_strip;
    c += kTileRows * c_row;
  }
}

template <class T, int Regs>
void multiply_rows(int rows, const Tile<T>& tile) {
  switch (rows) {
    case 1:
      return multiply<T, 1, Regs>(tile);
    case 2:
      return multiply<T, 2, Regs>(tile);
    case 3:
      return multiply<T, 3, Regs>(tile);
    case 4:
      return multiply<T, 4, Regs>(tile);
    case 5:
      return multiply<T, 5, Regs>(tile);
    default:
      return multiply<T, 6, Regs>(tile);
  }
}

template <class T>
void multiply_tiles(int rows, int regs, const Tile<T>& tile) {
  if constexpr (Vec<T>::kPanel == 4) {
    if (regs == 4) return multiply_rows<T, 4>(rows, tile);
    if (regs == 3) return multiply_rows<T, 3>(rows, tile);
  }
  if (regs == 2) return multiply_rows<T, 2>(rows, tile);
  return multiply_rows<T, 1>(rows, tile);
}

// C[rows, kPanel * kWidth] (+)= A B for few k: B's panel stays in registers, rows pass one by one.
template <class T, int Depth>
void multiply_shallow(const Tile<T>& tile, int64_t rows) {
  using V = Vec<T>;
  constexpr int kRegs = V::kPanel;
  typename V::Reg b[Depth][kRegs];
#pragma GCC unroll 8
  for (int k = 0; k < Depth; ++k)
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) b[k][j] = V::load(tile.b + k * tile.b_row + j * V::kWidth);
  const T *a = tile.a, *bias = tile.bias;
  T* c = tile.c;
  const int64_t a_row = tile.a_row, a_col = tile.a_col, c_row = tile.c_row;
  const bool load_c = tile.load_c;
  for (int64_t left = rows; left > 0; --left) {
    typename V::Reg sum[kRegs];
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) sum[j] = load_c ? V::load(c + j * V::kWidth) : V::zero();
#pragma GCC unroll 8
    for (int k = 0; k < Depth; ++k) {
      const typename V::Reg value = V::broadcast(a + k * a_col);
#pragma GCC unroll 8
      for (int j = 0; j < kRegs; ++j) sum[j] = V::fma(value, b[k][j], sum[j]);
    }
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) {
      if (bias != nullptr) sum[j] = V::add(sum[j], V::load(bias + j * V::kWidth));
      V::store(c + j * V::kWidth, sum[j]);
    }
    a += a_row;
    c += c_row;
  }
}

inline constexpr int64_t kShallow = 6;

template <class T>
void multiply_shallow(const Tile<T>& tile, int64_t rows) {
  switch (tile.depth) {
    case 1:
      return multiply_shallow<T, 1>(tile, rows);
    case 2:
      return multiply_shallow<T, 2>(tile, rows);
    case 3:
      return multiply_shallow<T, 3>(tile, rows);
    case 4:
      return multiply_shallow<T, 4>(tile, rows);
    case 5:
      return multiply_shallow<T, 5>(tile, rows);
    default:
      return multiply_shallow<T, 6>(tile, rows);
  }
}

// The last panel may be narrower than its registers: its tiles go through a small buffer.
template <class T>
void multiply_edge(int rows, int regs, int64_t columns, const Tile<T>& tiles) {
  constexpr int kWidest = 4 * Vec<T>::kWidth;
  const int64_t width = regs * Vec<T>::kWidth;
  T buffer[kTileRows * kWidest], bias[kWidest];
  Tile<T> tile = tiles;
  tile.strips = 1;
  tile.c = buffer;
  tile.c_row = width;
  if (tiles.bias != nullptr) {
    for (int64_t j = 0; j < width; ++j) bias[j] = j < columns ? tiles.bias[j] : T(0);
    tile.bias = bias;
  }
  for (int64_t strip = 0; strip < tiles.strips; ++strip) {
    T* c = tiles.c + strip * kTileRows * tiles.c_row;
    if (tile.load_c)
      for (int r = 0; r < rows; ++r)
        for (int64_t j = 0; j < columns; ++j) buffer[r * width + j] = c[r * tiles.c_row + j];
    multiply_tiles(rows, regs, tile);
    for (int r = 0; r < rows; ++r)
      for (int64_t j = 0; j < columns; ++j) c[r * tiles.c_row + j] = buffer[r * width + j];
    tile.a += tiles.a_strip;
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
