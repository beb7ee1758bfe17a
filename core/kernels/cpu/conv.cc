#include "core/kernels/cpu/conv.h"

#include OA_ISA_VEC
#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/transpose.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int64_t kDepth = 256;  // steps that are taken with all places, while weights are in cache

// Places of one register block: as many as the registers left by the panel allow.
template <class T>
constexpr int rows_of(int regs) {
  if (Vec<T>::kPanel == 4) return regs == 4 ? 6 : 12;
  return regs == 2 ? 6 : 8;
}

// Pointers beyond those that fit into registers are read again at every step: the compiler would
// keep them in vector registers, and fetch them over a port that products need.
constexpr int kPointers = 8;

template <class T, int Regs, int Rows>
void sum_block(const ConvStep* steps, int64_t count, const T* const* places, const T* w, T* sums,
               bool load) {
  using V = Vec<T>;
  constexpr int kWidth = Regs * V::kWidth, kHeld = Rows < kPointers ? Rows : kPointers;
  typename V::Reg sum[Rows][Regs];
  const T* x[kHeld];
#pragma GCC unroll 16
  for (int r = 0; r < kHeld; ++r) x[r] = places[r];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j)
      sum[r][j] = load ? V::load(sums + r * kWidth + j * V::kWidth) : V::zero();
  }
  const ConvStep* const end = steps + count;
  for (; steps != end; ++steps) {
    const int64_t at = steps->x;
    const T* weights = w + steps->w;
    if constexpr (Rows > kHeld) asm("" : "+r"(places));
    typename V::Reg row[Regs];
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j) row[j] = V::load(weights + j * V::kWidth);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const typename V::Reg value =
          V::broadcast((r < kHeld ? x[r < kHeld ? r : 0] : places[r]) + at);
#pragma GCC unroll 4
      for (int j = 0; j < Regs; ++j) sum[r][j] = V::fma(value, row[j], sum[r][j]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j) V::store(sums + r * kWidth + j * V::kWidth, sum[r][j]);
}

// The last block of a tile has as many places as come next to those left; it repeats the last one
// in registers that are thrown away.
template <class T, int Regs>
void sum_tile(const ConvTile& tile) {
  constexpr int kRows = rows_of<T>(Regs);
  constexpr int kWidth = Regs * Vec<T>::kWidth;
  const T* x = static_cast<const T*>(tile.x);
  T* sums = static_cast<T*>(tile.sums);
  for (int64_t k = 0; k < tile.step_count; k += kDepth) {
    const int64_t depth = tile.step_count - k < kDepth ? tile.step_count - k : kDepth;
    const bool load = tile.accumulate || k > 0;
    for (int64_t p = 0; p < tile.place_count; p += kRows) {
      const int64_t rows = tile.place_count - p < kRows ? tile.place_count - p : kRows;
      const T* places[kRows];
      for (int r = 0; r < kRows; ++r) places[r] = x + tile.places[p + (r < rows ? r : rows - 1)];
      T* to = sums + p * kWidth;
      if (rows == kRows) {
        sum_block<T, Regs, kRows>(tile.steps + k, depth, places, static_cast<const T*>(tile.w), to,
                                  load);
        continue;
      }
      T buffer[kRows * kWidth];
      if (load)
        for (int64_t i = 0; i < rows * kWidth; ++i) buffer[i] = to[i];
      for (int64_t i = load ? rows * kWidth : 0; i < kRows * kWidth; ++i) buffer[i] = T(0);
      const auto* weights = static_cast<const T*>(tile.w);
      if (kRows > 8 && rows <= 8 && rows > 4)
        sum_block<T, Regs, 8>(tile.steps + k, depth, places, weights, buffer, load);
      else if (kRows > 4 && rows <= 4)
        sum_block<T, Regs, 4>(tile.steps + k, depth, places, weights, buffer, load);
      else
        sum_block<T, Regs, kRows>(tile.steps + k, depth, places, weights, buffer, load);
      for (int64_t i = 0; i < rows * kWidth; ++i) to[i] = buffer[i];
    }
  }
}

template <class T>
void sums_typed(const ConvTile& tile) {
  constexpr int kLanes = Vec<T>::kWidth;
  if constexpr (Vec<T>::kPanel == 4)
    if (tile.width == 4 * kLanes) return sum_tile<T, 4>(tile);
  if (tile.width == 2 * kLanes) return sum_tile<T, 2>(tile);
  sum_tile<T, 1>(tile);
}

template <class T>
int64_t width_of(int64_t filters) {
  constexpr int64_t kLanes = Vec<T>::kWidth;
  if (filters <= kLanes) return kLanes;
  if (Vec<T>::kPanel == 4 && filters > 2 * kLanes && (filters - 1) % (4 * kLanes) >= 2 * kLanes)
    return 4 * kLanes;
  return 2 * kLanes;
}

template <class T>
void pack_typed(const ConvPack& pack) {
  constexpr int64_t kBlock = kTransposed<T>;
  const T* from = static_cast<const T*>(pack.from);
  T* to = static_cast<T*>(pack.to);
  const int64_t rows = pack.rows / kBlock * kBlock, columns = pack.columns / kBlock * kBlock;
  for (int64_t j = 0; j < columns; j += kBlock)
    for (int64_t i = 0; i < rows; i += kBlock)
      transpose_block(from + i * pack.from_row + j, pack.from_row, to + j * pack.width + i,
                      pack.width);
  for (int64_t j = 0; j < pack.columns; ++j) {
    T* row = to + j * pack.width;
    for (int64_t i = j < columns ? rows : 0; i < pack.rows; ++i)
      row[i] = from[i * pack.from_row + j];
    for (int64_t i = pack.rows; i < pack.width; ++i) row[i] = T(0);
  }
}

// Blocks of places are transposed; the rows of a block go out whole where its places are
// neighbours. All places of eight filters come first, so that few rows are written at a time.
template <class T>
void store_typed(const ConvStore& store) {
  constexpr int64_t kBlock = kTransposed<T>;
  const T* const sums = static_cast<const T*>(store.sums);
  const T* bias = static_cast<const T*>(store.bias);
  const int64_t width = store.width, row = store.filter_row, filters = store.filters;
  const int64_t whole = filters / kBlock * kBlock;
  const int64_t blocks = store.place_count / kBlock * kBlock;
  const int64_t* places = store.places;
  for (int64_t f = 0; f < whole; f += kBlock) {
    const T* shift = bias == nullptr ? nullptr : bias + f;
    T* const out = static_cast<T*>(store.out) + f * row;
    for (int64_t p = 0; p < blocks; p += kBlock) {
      const T* from = sums + p * width + f;
      if (places[p + kBlock - 1] - places[p] == kBlock - 1) {
        transpose_block(from, width, out + places[p], row, shift);
        continue;
      }
      T block[kBlock * kBlock];
      transpose_block(from, width, block, kBlock, shift);
      for (int64_t j = 0; j < kBlock; ++j) {
        T* to = out + j * row;
#pragma GCC unroll 8
        for (int64_t i = 0; i < kBlock; ++i) to[places[p + i]] = block[j * kBlock + i];
      }
    }
  }
  for (int64_t f = 0; f < filters; ++f) {
    const T shift = bias == nullptr ? T(0) : bias[f];
    T* const out = static_cast<T*>(store.out) + f * row;
    for (int64_t p = f < whole ? blocks : 0; p < store.place_count; ++p)
      out[places[p]] = bias == nullptr ? sums[p * width + f] : sums[p * width + f] + shift;
  }
}

}  // namespace

int64_t conv_width(DType dtype, int64_t filters) {
  return dtype == DType::kFloat32 ? width_of<float>(filters) : width_of<double>(filters);
}

#define OA_CONV_TYPED(call) with_floating(dtype, [&]<class T>(Type<T>) { call; })

void conv_sums(DType dtype, const ConvTile& tile) { OA_CONV_TYPED(sums_typed<T>(tile)); }
void conv_pack(DType dtype, const ConvPack& pack) { OA_CONV_TYPED(pack_typed<T>(pack)); }
void conv_store(DType dtype, const ConvStore& store) { OA_CONV_TYPED(store_typed<T>(store)); }

}  // namespace oneagent::cpu::OA_ISA
