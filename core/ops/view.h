// Views that keep the order of the elements: tensors of another shape that share memory with their
// operand. reshape, flatten and ravel copy where the strides allow no view. One size may be -1.
#pragma once

#include "core/ops/api.h"
#include "core/ops/expand.h"
#include "core/ops/permute.h"

namespace oneagent {

// An Error where strides do not allow a view.
Tensor view(const Tensor& self, const Shape& size);
// The same bytes as another type. Where element sizes differ the last dimension grows or shrinks;
// it must have stride 1. There is no gradient.
Tensor view(const Tensor& self, DType dtype);
Tensor view_as(const Tensor& self, const Tensor& other);
Tensor _unsafe_view(const Tensor& self, const Shape& size);
Tensor alias(const Tensor& self);

// The tensor itself when it has the shape.
Tensor reshape(const Tensor& self, const Shape& shape);
Tensor reshape_as(const Tensor& self, const Tensor& other);
Tensor flatten(const Tensor& self, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor unflatten(const Tensor& self, int64_t dim, const Shape& sizes);
Tensor ravel(const Tensor& self);  // contiguous, 1-d

Tensor squeeze(const Tensor& self);  // without the dimensions of size 1
Tensor squeeze(const Tensor& self, int64_t dim);
Tensor unsqueeze(const Tensor& self, int64_t dim);
const Tensor& squeeze_(const Tensor& self);
const Tensor& squeeze_(const Tensor& self, int64_t dim);
const Tensor& unsqueeze_(const Tensor& self, int64_t dim);

// At least one, two, three dimensions: [] -> [1], [1, 1], [1, 1, 1]; [n] -> [1, n], [1, n, 1];
// [n, m] -> [n, m, 1].
Tensor atleast_1d(const Tensor& self);
Tensor atleast_2d(const Tensor& self);
Tensor atleast_3d(const Tensor& self);
std::vector<Tensor> atleast_1d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_2d(const std::vector<Tensor>& tensors);
std::vector<Tensor> atleast_3d(const std::vector<Tensor>& tensors);

// `target` becomes `other`, a view of it: shape, strides and place in the graph. What the in-place
// forms of views are made of.
const Tensor& become_view(const Tensor& target, const Tensor& other);

}  // namespace oneagent
