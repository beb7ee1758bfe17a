// Samples of images [n, c, (depth,) height, width] at grids [n, ..., 2 or 3], contiguous.
#pragma once

#include "core/kernels/cpu/grid_sample.h"
#include "core/tensor/tensor.h"

namespace oneagent {

struct GridSampling {
  cpu::GridMode mode;
  cpu::GridPadding padding;
  bool align_corners;
  int orders[3];  // of width, height, depth
};

void run_grid_sample(Stream& stream, const GridSampling& sampling, const Tensor& out,
                     const Tensor& image, const Tensor& grid);
// image is needed for dgrid only; dimage and dgrid may be undefined.
void run_grid_sample_backward(Stream& stream, const GridSampling& sampling, const Tensor& dimage,
                              const Tensor& dgrid, const Tensor& gradient, const Tensor& image,
                              const Tensor& grid);

}  // namespace oneagent
