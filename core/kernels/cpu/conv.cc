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

template <class T, int Regs, int Rows>
void sum_block(const ConvStep* steps, int64_t count, const T* const* places, const T* w, T* sums,
               bool load) {
  using V = Vec<T>;
  constexpr int kWidth = Regs * V::kWidth;
  typename V::Reg sum[Rows][Regs];
  const T* x[Rows];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r) {
    x[r] = places[r];
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j)
      sum[r][j] = load ? V::load(sums + r * kWidth + j * V::kWidth) : V::zero();
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = steps[i].x;
    const T* weights = w + steps[i].w;
    typename V::Reg row[Regs];
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j) row[j] = V::load(weights + j * V::kWidth);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const typename V::Reg value = V::broadcast(x[r] + at);
#pragma GCC unroll 4
      for (int j = 0; j < Regs; ++j) sum[r][j] = V::fma(value, row[j], sum[r][j]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 4
    for (int j = 0; j < Regs; ++j) V::store(sums + r * kWidth + j * V::kWidth, sum[r][j]);
}

// The last block of a tile repeats its last place in registers that are thrown away.
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
      sum_block<T, Regs, kRows>(tile.steps + k, depth, places, static_cast<const T*>(tile.w),
                                buffer, load);
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
// neighbours.
template <class T>
void store_typed(const ConvStore& store) {
  constexpr int64_t kBlock = kTransposed<T>;
  const T* sums = static_cast<const T*>(store.sums);
  const T* bias = static_cast<const T*>(store.bias);
  T* const out = static_cast<T*>(store.out);
  const int64_t width = store.width, row = store.filter_row, filters = store.filters;
  const int64_t whole = filters / kBlock * kBlock;
  const int64_t* places = store.places;
  int64_t p = 0;
  for (; p + kBlock <= store.place_count; p += kBlock, places += kBlock, sums += kBlock * width) {
    const bool run = places[kBlock - 1] - places[0] == kBlock - 1;
    for (int64_t f = 0; f < whole; f += kBlock) {
      const T* shift = bias == nullptr ? nullptr : bias + f;
      if (run) {
        transpose_block(sums + f, width, out + f * row + places[0], row, shift);
        continue;
      }
      T block[kBlock * kBlock];
      transpose_block(sums + f, width, block, kBlock, shift);
      for (int64_t j = 0; j < kBlock; ++j) {
        T* to = out + (f + j) * row;
#pragma GCC unroll 8
        for (int64_t i = 0; i < kBlock; ++i) to[places[i]] = block[j * kBlock + i];
      }
    }
    for (int64_t f = whole; f < filters; ++f) {
      const T shift = bias == nullptr ? T(0) : bias[f];
      for (int64_t i = 0; i < kBlock; ++i) out[f * row + places[i]] = sums[i * width + f] + shift;
    }
  }
  for (; p < store.place_count; ++p, ++places, sums += width)
    for (int64_t f = 0; f < filters; ++f)
      out[f * row + *places] = sums[f] + (bias == nullptr ? T(0) : bias[f]);
}

// Output coordinates first..last-1 whose tap k of an axis lies inside the image.
struct Range {
  int64_t first, last;
  int64_t start;  // image coordinate of `first`
  Range(const ConvPlane& s, int axis, int64_t k) {
    const int64_t shift = k * s.dilation[axis] - s.padding[axis], stride = s.stride[axis];
    first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t end = s.size[axis] - 1 - shift;
    last = end < 0 ? 0 : end / stride + 1;
    if (last > s.out[axis]) last = s.out[axis];
    if (first > last) first = last;
    start = first * stride + shift;
  }
};

// Calls body(output row, image row, count, tap) for every row of products of two planes.
template <class Body>
void each_row(const ConvPlane& s, const Body& body) {
  int64_t tap = 0;
  for (int64_t kz = 0; kz < s.kernel[0]; ++kz)
    for (int64_t ky = 0; ky < s.kernel[1]; ++ky)
      for (int64_t kx = 0; kx < s.kernel[2]; ++kx, ++tap) {
        const Range z(s, 0, kz), y(s, 1, ky), x(s, 2, kx);
        if (x.first == x.last) continue;
        for (int64_t oz = z.first; oz < z.last; ++oz)
          for (int64_t oy = y.first; oy < y.last; ++oy) {
            const int64_t iz = z.start + (oz - z.first) * s.stride[0],
                          iy = y.start + (oy - y.first) * s.stride[1];
            body((oz * s.out[1] + oy) * s.out[2] + x.first,
                 (iz * s.size[1] + iy) * s.size[2] + x.start, x.last - x.first, tap);
          }
      }
}

template <class T>
void plane_typed(const ConvPlane& s, T* y, const T* x, const T* w) {
  const int64_t step = s.stride[2];
  each_row(s, [&](int64_t to, int64_t from, int64_t count, int64_t tap) {
    const T value = w[tap];
    T* out = y + to;
    const T* in = x + from;
    if (step == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[i], value, out[i]);
    } else if (step == 2) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[2 * i], value, out[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[step * i], value, out[i]);
    }
  });
}

template <class T>
void plane_backward_input_typed(const ConvPlane& s, T* dx, const T* dy, const T* w) {
  const int64_t step = s.stride[2];
  each_row(s, [&](int64_t from, int64_t to, int64_t count, int64_t tap) {
    const T value = w[tap];
    T* out = dx + to;
    const T* in = dy + from;
    if (step == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[i], value, out[i]);
    } else {
      for (int64_t i = 0; i < count; ++i) out[step * i] = fma_(in[i], value, out[step * i]);
    }
  });
}

template <class T>
void plane_backward_weight_typed(const ConvPlane& s, T* dw, const T* dy, const T* x) {
  constexpr int kLanes = 64 / sizeof(T);
  const int64_t step = s.stride[2];
  T lanes[kLanes] = {};
  int64_t current = 0;
  const auto finish = [&] {
    for (int width = kLanes / 2; width > 0; width /= 2)
      for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
    dw[current] += lanes[0];
    for (int i = 0; i < kLanes; ++i) lanes[i] = T(0);
  };
  each_row(s, [&](int64_t g, int64_t from, int64_t count, int64_t tap) {
    if (tap != current) finish();
    current = tap;
    const T* gradient = dy + g;
    const T* in = x + from;
    int64_t at = 0;
    if (step == 1)
      for (; at + kLanes <= count; at += kLanes)
        for (int i = 0; i < kLanes; ++i) lanes[i] = fma_(gradient[at + i], in[at + i], lanes[i]);
    else
      for (; at + kLanes <= count; at += kLanes)
        for (int i = 0; i < kLanes; ++i)
          lanes[i] = fma_(gradient[at + i], in[(at + i) * step], lanes[i]);
    for (int i = 0; at < count; ++at, ++i) lanes[i] = fma_(gradient[at], in[at * step], lanes[i]);
  });
  finish();
}

}  // namespace

int64_t conv_width(DType dtype, int64_t filters) {
  return dtype == DType::kFloat32 ? width_of<float>(filters) : width_of<double>(filters);
}

#define OA_CONV_TYPED(call) with_floating(dtype, [&]<class T>(Type<T>) { call; })

void conv_sums(DType dtype, const ConvTile& tile) { OA_CONV_TYPED(sums_typed<T>(tile)); }
void conv_pack(DType dtype, const ConvPack& pack) { OA_CONV_TYPED(pack_typed<T>(pack)); }
void conv_store(DType dtype, const ConvStore& store) { OA_CONV_TYPED(store_typed<T>(store)); }
void conv_plane(DType dtype, const ConvPlane& shape, void* y, const void* x, const void* w) {
  OA_CONV_TYPED(
      plane_typed(shape, static_cast<T*>(y), static_cast<const T*>(x), static_cast<const T*>(w)));
}
void conv_plane_backward_input(DType dtype, const ConvPlane& shape, void* dx, const void* dy,
                               const void* w) {
  OA_CONV_TYPED(plane_backward_input_typed(shape, static_cast<T*>(dx), static_cast<const T*>(dy),
                                           static_cast<const T*>(w)));
}
void conv_plane_backward_weight(DType dtype, const ConvPlane& shape, void* dw, const void* dy,
                                const void* x) {
  OA_CONV_TYPED(plane_backward_weight_typed(shape, static_cast<T*>(dw), static_cast<const T*>(dy),
                                            static_cast<const T*>(x)));
}

}  // namespace oneagent::cpu::OA_ISA
