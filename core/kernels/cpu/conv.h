// The sums of convolutions, straight from the image: no unfolded copy is made. Filters lie side by
// side in the lanes of registers (a panel of `width` filters), and each value of the image is
// broadcast to them. Every sum is taken step by step in order, c = fma(x, w, c), so that an
// element's bits depend neither on its neighbours nor on AVX2 or AVX-512.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

struct ConvStep {
  int32_t x, w;  // element offsets
};

// sums[p, l] = sum over steps s of x[places[p] + s.x] w[s.w + l]
struct ConvTile {
  const void* x = nullptr;
  const int64_t* places = nullptr;
  int64_t place_count = 0;
  const ConvStep* steps = nullptr;
  int64_t step_count = 0;
  const void* w = nullptr;
  int64_t width = 0;
  void* sums = nullptr;     // [place_count, width]
  bool accumulate = false;  // sums += ...
};

inline constexpr int64_t kConvTile = 96;    // places that share their panel of weights in cache
inline constexpr int64_t kConvLanes = 256;  // bytes of the widest panel

// Lanes of the panels for so many filters.
OA_CPU_KERNEL(int64_t, conv_width, (DType dtype, int64_t filters), (dtype, filters))

OA_CPU_KERNEL(void, conv_sums, (DType dtype, const ConvTile& tile), (dtype, tile))

// to[j, i] = from[i * from_row + j] for i < rows, zero for rows <= i < width: a panel of weights.
struct ConvPack {
  const void* from = nullptr;
  int64_t from_row = 0;
  int64_t rows = 0, columns = 0;
  void* to = nullptr;  // [columns, width]
  int64_t width = 0;
};
OA_CPU_KERNEL(void, conv_pack, (DType dtype, const ConvPack& pack), (dtype, pack))

// out[f * filter_row + places[p]] = sums[p, f] + bias[f] for f < filters; places ascend.
struct ConvStore {
  const void* sums = nullptr;  // [place_count, width]
  int64_t width = 0;
  const int64_t* places = nullptr;
  int64_t place_count = 0;
  void* out = nullptr;
  int64_t filter_row = 0;
  int64_t filters = 0;
  const void* bias = nullptr;  // [filters] or null
};
OA_CPU_KERNEL(void, conv_store, (DType dtype, const ConvStore& store), (dtype, store))

// One plane of an image with one plane of a filter, for convolutions with few filters in a group
// (depthwise ones): vectors lie along the rows of the result. Planes are prepared: padded, and
// split into one plane for each column of the stride, so that a tap reads neighbours.
struct ConvPlane {
  int64_t size[3], kernel[3], stride[3], padding[3], dilation[3], out[3];
  int64_t taps = 0;
  int64_t rows = 0, row = 0;         // of a prepared plane: rows of a phase, their length
  const int64_t* offsets = nullptr;  // [taps] from a place to its values in the prepared plane
  bool has_slack = false;            // eight values behind the prepared plane may be read
};
OA_CPU_KERNEL(void, conv_plane_prepare,
              (DType dtype, const ConvPlane& shape, const void* x, void* prepared),
              (dtype, shape, x, prepared))
// y = or += the products
OA_CPU_KERNEL(void, conv_plane,
              (DType dtype, const ConvPlane& shape, void* y, const void* prepared, const void* w,
               bool accumulate),
              (dtype, shape, y, prepared, w, accumulate))
// dw += ...
OA_CPU_KERNEL(void, conv_plane_backward_weight,
              (DType dtype, const ConvPlane& shape, void* dw, const void* dy, const void* prepared),
              (dtype, shape, dw, dy, prepared))
// dx += ..., for any stride; dx is not prepared.
OA_CPU_KERNEL(void, conv_plane_backward_input,
              (DType dtype, const ConvPlane& shape, void* dx, const void* dy, const void* w),
              (dtype, shape, dx, dy, w))

// dx [channels, size] += columns [channels, taps, rows of the result] under some of its rows.
struct ConvColumns {
  const void* columns = nullptr;
  int64_t first_row = 0, row_count = 0;  // rows are those of all depths
  int64_t channels = 0;
};
OA_CPU_KERNEL(void, conv_add_columns,
              (DType dtype, const ConvPlane& shape, const ConvColumns& columns, void* dx),
              (dtype, shape, columns, dx))

}  // namespace oneagent::cpu
