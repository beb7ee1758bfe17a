// Samples of input [n, c, h, w] at grid [n, h', w', 2] of (x, y) -> [n, c, h', w'], or of [n, c, d,
// h, w] at [n, d', h', w', 3]. -1 and 1 are the middles of the outer pixels with align_corners,
// else their edges. interpolation_mode 0 linear, 1 nearest, 2 cubic (2-d only); padding_mode 0
// zeros, 1 the border's values, 2 reflection. All orders of gradients exist.
#pragma once

#include <array>

#include "core/ops/api.h"

namespace oneagent {

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners);
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners);
Tensor _grid_sampler_2d_cpu_fallback(const Tensor& input, const Tensor& grid,
                                     int64_t interpolation_mode, int64_t padding_mode,
                                     bool align_corners);

// Gradients of input (undefined where output_mask does not ask for it) and grid.
std::tuple<Tensor, Tensor> grid_sampler_2d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    const std::array<bool, 2>& output_mask);
std::tuple<Tensor, Tensor> grid_sampler_3d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    const std::array<bool, 2>& output_mask);

}  // namespace oneagent
