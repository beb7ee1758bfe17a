// What the records of pooling share. They work on [n, c, spatial...] with complete lists.
#pragma once

#include "core/kernels/pool.h"
#include "core/ops/op.h"

namespace oneagent {

struct PoolLists {
  Shape kernel_size, stride, padding, dilation;
  bool ceil_mode = false;
};

// Completes lists as PyTorch does (one value for all dimensions; an empty stride is the kernel's
// size).
PoolLists pool_lists(const char* op, size_t dims, const Shape& kernel_size, const Shape& stride,
                     const Shape& padding, const Shape& dilation, bool ceil_mode);

// The windows over x [n, c, spatial...]; an Error when they do not fit. Without ceil_mode the last
// window lies within the padded plane, with it it may reach beyond, but starts inside.
PoolShape pool_shape(const char* op, const Shape& x, const PoolLists& lists);

// [n, c, out...]
Shape pooled_sizes(const PoolShape& shape, const Shape& x);

// "nchw->ncyx" with `results` results after the arrow; spatial dimensions are closed.
std::string pool_rule(size_t dims, int results);
std::string pool_backward_rule(size_t dims, int operands);

// The gradient of largest values chosen by index (int64, into their plane), as a record that is
// called `name`: (gradient, index) -> [n, c, spatial...] = sizes.
enum class MaxBackward {
  kMax1d,
  kMax2d,
  kMax3d,
  kAdaptive1d,
  kAdaptive2d,
  kAdaptive3d,
  kFractional2d,
  kFractional3d
};
Tensor max_backward(MaxBackward which, const Tensor& gradient, const Tensor& index,
                    const Shape& sizes);
// Values of x [n, c, spatial...] at indices into their plane.
Tensor at_plane_index(const Tensor& x, const Tensor& index);

}  // namespace oneagent
