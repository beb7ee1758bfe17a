// Lower and upper triangles of matrices (the last two dimensions). diagonal > 0 lies above the main
// diagonal, < 0 below it.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor tril(const Tensor& self, int64_t diagonal = 0);  // zeros above the diagonal
Tensor triu(const Tensor& self, int64_t diagonal = 0);  // zeros below it
const Tensor& tril_(const Tensor& self, int64_t diagonal = 0);
const Tensor& triu_(const Tensor& self, int64_t diagonal = 0);

// [2, n]: rows and columns of the elements of the triangle, row by row.
Tensor tril_indices(int64_t row, int64_t col, int64_t offset = 0,
                    const TensorOptions& options = kInt64);
Tensor triu_indices(int64_t row, int64_t col, int64_t offset = 0,
                    const TensorOptions& options = kInt64);

}  // namespace oneagent
