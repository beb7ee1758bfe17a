// Padding with values of the tensor itself: mirrored at the edge without repeating it (reflection),
// the edge repeated (replication), or from the other end (circular). The last one, two or three
// dimensions of [C, spatial...] or [N, C, spatial...] are padded; lists as of pad. Reflection must
// stay below the size, circular padding within it.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor reflection_pad1d(const Tensor& input, const Shape& padding);
Tensor reflection_pad2d(const Tensor& input, const Shape& padding);
Tensor reflection_pad3d(const Tensor& input, const Shape& padding);
Tensor replication_pad1d(const Tensor& input, const Shape& padding);
Tensor replication_pad2d(const Tensor& input, const Shape& padding);
Tensor replication_pad3d(const Tensor& input, const Shape& padding);
Tensor _pad_circular(const Tensor& input, const Shape& pad);

Tensor reflection_pad1d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding);
Tensor reflection_pad2d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding);
Tensor reflection_pad3d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding);
Tensor replication_pad1d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding);
Tensor replication_pad2d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding);
Tensor replication_pad3d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding);

}  // namespace oneagent
