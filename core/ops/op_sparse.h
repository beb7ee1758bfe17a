// Calls with sparse operands: how each op that has a meaning for them is made of calls on values.
#pragma once

#include "core/graph/recorder.h"
#include "core/tensor/sparse_parts.h"

namespace oneagent {

// Error: the op has no meaning for sparse tensors.
void run_sparse(const Call& call);

// Row-major positions of coordinates in their sparse dimensions: [n] int64.
Tensor sparse_keys(const Tensor& indices, const Shape& sizes);
Tensor coalesced(const Tensor& x);
Tensor dense_of(const Tensor& x);
Tensor transposed(const Tensor& x, int64_t a, int64_t b);  // two sparse dimensions
Tensor sparse_product(const Tensor& sparse, const Tensor& dense);
// The values of `self`, dense or sparse, at the coordinates of a sparse tensor.
Tensor values_at(const Tensor& self, const Tensor& mask);

// dense += alpha sparse, row by row.
void add_to_dense(const Tensor& dense, const Tensor& sparse, Scalar alpha);
Tensor sparse_sum_of(const Tensor& a, const Tensor& b, Scalar alpha);  // a + alpha b

}  // namespace oneagent
