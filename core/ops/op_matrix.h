// Pieces that the ops of linear algebra share. The last two dimensions are a matrix, those before
// are batches. The parts of matrices are differentiable.
#pragma once

#include "core/ops/op_support.h"

namespace oneagent::matrix {

Shape batch_sizes(const Shape& sizes);  // without the last two
Shape with_matrix(const Shape& batch, int64_t rows, int64_t columns);

void require_matrix(const char* op, const TensorMeta& a);  // floating, at least two dimensions
void require_square(const char* op, const TensorMeta& a);

// An Error with PyTorch's words where some element of `info` (int32, one per matrix) is not zero;
// `api` ("linalg.inv") chooses the sentence.
void check_info(const char* api, const Tensor& info);

Tensor transposed(const Tensor& x);                   // the last two dimensions exchanged
Tensor lower(const Tensor& x, int64_t diagonal = 0);  // zero above the diagonal
Tensor upper(const Tensor& x, int64_t diagonal = 0);  // zero below the diagonal
Tensor on_diagonal(int64_t n);                        // bool [n, n]
Tensor diagonal(const Tensor& x);                     // [..., n, n] -> [..., n]
Tensor with_diagonal(const Tensor& values);           // [..., n] -> [..., n, n]
Tensor identity(int64_t rows, int64_t columns, DType dtype);

// Both with the same batch dimensions, expanded.
std::pair<Tensor, Tensor> broadcast_batches(const char* op, const Tensor& a, const Tensor& b);

// The gradient of a from that of its LU factors in one matrix (core/ops/lu.cc).
Tensor lu_factor_gradient(const Tensor& gradient, const Tensor& lu, const Tensor& pivots);
// The gradient of a from that of its pseudo-inverse p (core/ops/pinv.cc).
Tensor pinv_gradient(const Tensor& gradient, const Tensor& p, const Tensor& a);

}  // namespace oneagent::matrix
