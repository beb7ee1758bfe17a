// Sampling an image at the points of a grid, and derivatives of the samples with respect to the
// points: weights are separable over axes, order k of an axis takes the k-th derivative of its
// weights. Axis 0 is the width.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

enum class GridMode : int { kLinear, kNearest, kCubic };  // libtorch's numbers
enum class GridPadding : int { kZeros, kBorder, kReflection };

struct GridArgs {
  int dims = 2;
  GridMode mode = GridMode::kLinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;
  int orders[3] = {0, 0, 0};
  int64_t channels = 0, size[3] = {1, 1, 1};  // of the image: width, height, depth
  int64_t points = 0;
  const void* grid = nullptr;      // [points, dims]
  const void* image = nullptr;     // [channels, plane]
  const void* gradient = nullptr;  // [channels, points]
  void* out = nullptr;             // samples [channels, points]
  void* dimage = nullptr;          // [channels, plane], added to
  void* dgrid = nullptr;           // [points, dims]
};

// out = samples of the image.
OA_CPU_KERNEL(void, grid_sample, (DType dtype, const GridArgs& args), (dtype, args))
// What the gradient of the samples gives to dimage and dgrid, each of which may be null.
OA_CPU_KERNEL(void, grid_sample_backward, (DType dtype, const GridArgs& args), (dtype, args))

}  // namespace oneagent::cpu
