// Interpolation of planes to another size, axis by axis.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

enum class Interpolation : uint8_t {
  kNearest,       // floor(i scale)
  kNearestExact,  // floor((i + 1/2) scale)
  kLinear,
  kCubic,         // Keys 1981 with a = -0.75
  kLinearSmooth,  // both smooth ones widen their filters when they shrink, against aliasing
  kCubicSmooth    // a = -0.5
};

struct ResampleShape {
  int64_t planes;
  int64_t from[3], to[3];
  Interpolation mode;
  bool align_corners;
  double scale[3];  // factors of the sizes, 0: what the sizes say
};

void run_resample(Stream& stream, const ResampleShape& shape, const Tensor& out, const Tensor& in);
// The transpose: dy has the shape `to`, dx the shape `from`.
void run_resample_backward(Stream& stream, const ResampleShape& shape, const Tensor& dx,
                           const Tensor& dy);

}  // namespace oneagent
