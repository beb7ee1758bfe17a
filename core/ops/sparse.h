// Sparse tensors in libtorch's COO layout: coordinates [sparse dimensions, elements] and values
// [elements, dense sizes ...]; equal coordinates count as their sum. Methods are in Tensor:
// indices(), values(), coalesce(), to_dense(), sparse_mask() ... Elementwise work with numbers,
// sums of sparse and of dense and sparse tensors, sum(), norm(), clone(), zero_(), mm() go through
// the usual functions (core/ops/op_sparse.h); what is not served is an Error that names the op.
// Gradients flow through the values.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Error: indices that are no [d, n] int64, values without n rows, sizes that do not fit,
// coordinates outside. Without sizes the smallest that hold all coordinates.
Tensor sparse_coo_tensor(const Shape& size, const TensorOptions& options);
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values,
                         const TensorOptions& options = {});
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, const Shape& size,
                         const TensorOptions& options = {});
Tensor _sparse_coo_tensor_unsafe(const Tensor& indices, const Tensor& values, const Shape& size,
                                 const TensorOptions& options = {});

// Over all elements, or over dimensions: what is left of the sparse ones stays sparse.
Tensor _sparse_sum(const Tensor& self);
Tensor _sparse_sum(const Tensor& self, DType dtype);
Tensor _sparse_sum(const Tensor& self, const Shape& dim);

Tensor _sparse_mm(const Tensor& sparse, const Tensor& dense);  // [m, k] [k, n] -> [m, n], dense
Tensor sparse_mask(const Tensor& self, const Tensor& mask);    // self where the sparse mask is

}  // namespace oneagent
