// Views of a part of a tensor along one dimension.
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace oneagent {

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end,
             int64_t step = 1);  // Python's clamping; step > 0
Tensor select(const Tensor& x, int64_t dim, int64_t index);
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> split(const Tensor& x, int64_t size, int64_t dim = 0);

}  // namespace oneagent
