// Linear systems and inverses of batches of square matrices, by LU factors with partial pivoting.
// Of A X = B: dB = A^-T dX, with the factors of the forward pass, and dA = -dB X^T; of X = A^-1:
// dA = -X^T dX X^T (M. B. Giles, 2008).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// A [..., n, n]; B [..., n, k], or one vector a matrix: B [n], or of A's shape without its last
// dimension. With left = false, X A = B. Batches of B are broadcast against those of A.
Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left = true);
std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left = true,
                                           bool check_errors = false);  // X and info
std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(
    const Tensor& A, const Tensor& B, bool left = true,
    bool check_errors = false);  // X, LU, pivots, info

Tensor linalg_inv(const Tensor& A);
Tensor inverse(const Tensor& self);
std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A,
                                         bool check_errors = false);  // inverse and info

}  // namespace oneagent
