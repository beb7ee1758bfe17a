// Sampling grids of affine maps: theta [n, 2, 3] and size [n, c, h, w] -> [n, h, w, 2] = theta (x,
// y, 1), or [n, 3, 4] and [n, c, d, h, w] -> [n, d, h, w, 3]. Coordinates run from -1 to 1 between
// the middles of the outer pixels with align_corners, else between the edges.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor affine_grid_generator(const Tensor& theta, const Shape& size, bool align_corners);
Tensor affine_grid_generator_backward(const Tensor& grad, const Shape& size, bool align_corners);

}  // namespace oneagent
