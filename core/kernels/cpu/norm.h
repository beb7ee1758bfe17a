// Normalisation of contiguous arrays. Statistics are taken in blocks that stay in cache, each
// around its own mean, and joined in double (Chan, Golub and LeVeque 1979); sums have fixed packs,
// so the bits are the same on every build.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

// [images, channels, size]; statistics of channel c are those of all images.
struct NormShape {
  int64_t images = 0, channels = 0, size = 0;
  int64_t begin = 0, end = 0;  // the channels of this call
};

// mean and 1 / sqrt(variance + eps) of each channel, variance with divisor images * size.
OA_CPU_KERNEL(void, channel_moments,
              (DType dtype, const NormShape& shape, const void* x, double eps, void* mean,
               void* rstd),
              (dtype, shape, x, eps, mean, rstd))

// Sums of g and of g (x - mean) over each channel.
OA_CPU_KERNEL(void, channel_sums,
              (DType dtype, const NormShape& shape, const void* g, const void* x, const void* mean,
               void* sum, void* product),
              (dtype, shape, g, x, mean, sum, product))

// y = (x - mean[c]) scale[c] + shift[c] for images begin..end-1.
OA_CPU_KERNEL(void, channel_scale,
              (DType dtype, const NormShape& shape, const void* x, const void* mean,
               const void* scale, const void* shift, void* y),
              (dtype, shape, x, mean, scale, shift, y))

// dx = g scale[c] + (x - mean[c]) slope[c] + shift[c] for images begin..end-1.
OA_CPU_KERNEL(void, channel_combine,
              (DType dtype, const NormShape& shape, const void* g, const void* x, const void* mean,
               const void* scale, const void* slope, const void* shift, void* dx),
              (dtype, shape, g, x, mean, scale, slope, shift, dx))

// Rows of `size` values; weight and bias [size] may be null.
struct LayerNorm {
  int64_t rows = 0, size = 0;
  double eps = 0;
  const void *x = nullptr, *weight = nullptr, *bias = nullptr;
  void *y = nullptr, *mean = nullptr, *rstd = nullptr;  // mean, rstd [rows]
};
OA_CPU_KERNEL(void, layer_norm, (DType dtype, const LayerNorm& args), (dtype, args))

// dx may be null; sums over rows are added to dweight and dbias [size], which may be null.
struct LayerNormBackward {
  int64_t rows = 0, size = 0;
  const void *g = nullptr, *x = nullptr, *weight = nullptr, *mean = nullptr, *rstd = nullptr;
  void *dx = nullptr, *dweight = nullptr, *dbias = nullptr;
};
OA_CPU_KERNEL(void, layer_norm_backward, (DType dtype, const LayerNormBackward& args),
              (dtype, args))

}  // namespace oneagent::cpu
