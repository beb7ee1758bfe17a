// Pooling over contiguous planes [planes, depth, height, width]; fewer dimensions are sizes of 1 in
// front.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct PoolShape {
  int64_t planes;
  int64_t size[3], kernel[3], stride[3], padding[3], dilation[3], out[3];
};

// Largest value of each window and its place in the plane (int64); padding never wins. Without
// `index` only the values.
void run_max_pool(Stream& stream, const PoolShape& shape, const Tensor& out, const Tensor& index,
                  const Tensor& x);

// Averages over a window's places, padding among them or not, or over `divisor` when that is not 0.
struct AverageOptions {
  bool count_include_pad = true;
  int64_t divisor = 0;
};
void run_avg_pool(Stream& stream, const PoolShape& shape, const AverageOptions& options,
                  const Tensor& out, const Tensor& x);
void run_avg_pool_backward(Stream& stream, const PoolShape& shape, const AverageOptions& options,
                           const Tensor& dx, const Tensor& dy);

// Windows from floor(i in / out) to ceil((i + 1) in / out).
struct AdaptiveShape {
  int64_t planes;
  int64_t size[3], out[3];
};
void run_adaptive_avg_pool(Stream& stream, const AdaptiveShape& shape, const Tensor& out,
                           const Tensor& x);
void run_adaptive_avg_pool_backward(Stream& stream, const AdaptiveShape& shape, const Tensor& dx,
                                    const Tensor& dy);
void run_adaptive_max_pool(Stream& stream, const AdaptiveShape& shape, const Tensor& out,
                           const Tensor& index, const Tensor& x);

// Windows of `kernel` whose places follow from samples [planes, spatial dimensions] in [0, 1)
// (Graham 2014, "Fractional Max-Pooling"); width_first: the first sample is the width's.
struct FractionalShape {
  int64_t planes;
  int64_t size[3], kernel[3], out[3];
  int dims;
  bool width_first;
};
void run_fractional_max_pool(Stream& stream, const FractionalShape& shape, const Tensor& out,
                             const Tensor& index, const Tensor& x, const Tensor& samples);

// Per plane: to[index[i]] = or += from[i]; the rest is 0. An Error for an index out of range.
void run_plane_scatter(Stream& stream, const char* op, int64_t planes, const Tensor& to,
                       const Tensor& index, const Tensor& from, bool add);

}  // namespace oneagent
