// Parts of a tensor along one dimension: views, their gradients (`..._backward`), and copies of a
// tensor with such a part replaced (`..._scatter`).
#pragma once

#include <vector>

#include "core/ops/api.h"
#include "core/ops/split.h"

namespace oneagent {

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length);
Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, int64_t length);
Tensor narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length);
// Python's clamping of start and end; step > 0.
Tensor slice(const Tensor& self, int64_t dim = 0, std::optional<int64_t> start = std::nullopt,
             std::optional<int64_t> end = std::nullopt, int64_t step = 1);
Tensor select(const Tensor& self, int64_t dim, int64_t index);

// Zeros of `input_sizes` with the gradient where the view was.
Tensor slice_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t dim,
                      int64_t start, int64_t end, int64_t step);
Tensor select_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t dim,
                       int64_t index);

// A copy of `self` in which `src` stands where the view would be.
Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim = 0,
                     std::optional<int64_t> start = std::nullopt,
                     std::optional<int64_t> end = std::nullopt, int64_t step = 1);
Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index);

}  // namespace oneagent
