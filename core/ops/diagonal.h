// Diagonals of matrices and of pairs of dimensions. offset > 0 lies above the main diagonal, < 0
// below it.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// A view: dim1 and dim2 go, the diagonal comes last.
Tensor diagonal(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
Tensor diagonal_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t offset,
                         int64_t dim1, int64_t dim2);
// A copy of `self` in which `src` stands where the view would be.
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset = 0, int64_t dim1 = 0,
                        int64_t dim2 = 1);

// Zeros with the last dimension of `self` on a diagonal of the new dimensions dim1 and dim2.
Tensor diag_embed(const Tensor& self, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
Tensor diag(const Tensor& self,
            int64_t diagonal = 0);  // vector -> matrix, matrix -> vector, a copy
Tensor diagflat(const Tensor& self, int64_t offset = 0);

// Of a matrix, or of a tensor whose sizes are all equal. wrap: in a tall matrix the diagonal starts
// again below an empty row.
const Tensor& fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap = false);

}  // namespace oneagent
