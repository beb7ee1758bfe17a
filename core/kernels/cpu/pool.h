// Pooling of planes [depth, height, width], one to three dimensions with sizes of 1 in front. Rows
// of the result are computed along their width, one tap of the window after another.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

// Results first..last-1 along an axis have the tap inside the plane; that of `first` is at `start`.
struct PoolTap {
  int32_t first, last, start;
};

struct PoolArgs {
  int64_t planes = 0;
  int64_t size[3], kernel[3], stride[3], out_size[3];
  const PoolTap* taps[3];                                  // [kernel] of each axis
  const int32_t* counts[3] = {nullptr, nullptr, nullptr};  // averages: window sizes of each result
  int64_t divisor = 0;                                     // of averages, 0: the window's size
  const void* in = nullptr;
  void* out = nullptr;
  int64_t* index = nullptr;  // of largest values in their plane, or null
};

// The largest value of each window and its place, of equal ones the first; NaN wins.
OA_CPU_KERNEL(bool, max_pool, (DType dtype, const PoolArgs& args), (dtype, args))
// The sum of each window over its count.
OA_CPU_KERNEL(bool, avg_pool, (DType dtype, const PoolArgs& args), (dtype, args))
// in: gradients of averages, out: those of the planes, which are overwritten.
OA_CPU_KERNEL(bool, avg_pool_backward, (DType dtype, const PoolArgs& args), (dtype, args))

// Windows begin[d][i] .. end[d][i] - 1 of each axis.
struct WindowArgs {
  int64_t planes = 0;
  int64_t size[3], out_size[3];
  const int32_t* begin[3];
  const int32_t* end[3];
  const void* in = nullptr;
  void* out = nullptr;
  int64_t* index = nullptr;
};
OA_CPU_KERNEL(void, window_average, (DType dtype, const WindowArgs& args), (dtype, args))
OA_CPU_KERNEL(void, window_average_backward, (DType dtype, const WindowArgs& args), (dtype, args))
// Largest values with their places.
OA_CPU_KERNEL(void, window_max, (DType dtype, const WindowArgs& args), (dtype, args))

}  // namespace oneagent::cpu
