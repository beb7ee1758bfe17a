// Batch, group and layer normalisation of contiguous arrays. Every sum is taken in an order of its
// own: results do not depend on the number of threads. weight and bias may be undefined.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct BatchNormShape {  // x [images, channels, size]
  int64_t images, channels, size;
};
// Writes mean and rstd [channels] of x.
void run_batch_moments(Stream& stream, const BatchNormShape& shape, const Tensor& x, double eps,
                       const Tensor& mean, const Tensor& rstd);
// y = (x - mean) rstd weight + bias
void run_batch_norm(Stream& stream, const BatchNormShape& shape, const Tensor& y, const Tensor& x,
                    const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                    const Tensor& bias);
// The gradients that are defined are written. Of a batch's own statistics, or of given ones.
struct NormGradients {
  Tensor x, weight, bias;
};
void run_batch_norm_backward(Stream& stream, const BatchNormShape& shape, bool own_statistics,
                             const NormGradients& out, const Tensor& g, const Tensor& x,
                             const Tensor& mean, const Tensor& rstd, const Tensor& weight);

struct GroupNormShape {  // x [images, channels, size], channels in `groups` equal groups
  int64_t images, channels, size, groups;
};
// mean, rstd [images, groups]
void run_group_norm(Stream& stream, const GroupNormShape& shape, double eps, const Tensor& y,
                    const Tensor& mean, const Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias);
void run_group_norm_backward(Stream& stream, const GroupNormShape& shape, const NormGradients& out,
                             const Tensor& g, const Tensor& x, const Tensor& mean,
                             const Tensor& rstd, const Tensor& weight);

// Rows of `size` values; mean, rstd [rows]
void run_layer_norm(Stream& stream, int64_t rows, int64_t size, double eps, const Tensor& y,
                    const Tensor& mean, const Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias);
void run_layer_norm_backward(Stream& stream, int64_t rows, int64_t size, const NormGradients& out,
                             const Tensor& g, const Tensor& x, const Tensor& mean,
                             const Tensor& rstd, const Tensor& weight);

}  // namespace oneagent
