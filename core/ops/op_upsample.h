// The records of interpolation, in this order; each has a backward record of the same number.
#pragma once

#include "core/ops/op.h"

namespace oneagent {

enum class UpsampleKind : size_t {
  kNearest1d,
  kNearest2d,
  kNearest3d,
  kNearestExact1d,
  kNearestExact2d,
  kNearestExact3d,
  kLinear1d,
  kBilinear2d,
  kTrilinear3d,
  kBicubic2d,
  kBilinear2dSmooth,
  kBicubic2dSmooth
};

// scales: one for each spatial dimension, 0 where the sizes decide.
Tensor upsample(UpsampleKind which, const Tensor& input, const Shape& output_size,
                bool align_corners, const double* scales);
// grad_output has output_size, the result input_size (both of all dimensions).
Tensor upsample_backward(UpsampleKind which, const Tensor& grad_output, const Shape& output_size,
                         const Shape& input_size, bool align_corners, const double* scales);
size_t dims_of(UpsampleKind which);
const char* name_of(UpsampleKind which);

}  // namespace oneagent
