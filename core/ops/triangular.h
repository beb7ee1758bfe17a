// Triangular systems (BLAS trsm). Only one triangle of A is read; the gradient of the other is
// zero. The gradient is Giles's: of A X = B, dB = A^-T dX and dA = -dB X^T.
//
// M. B. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation", 2008.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// self [..., n, n], B [..., n, k] (left: A X = B) or [..., k, n] (X A = B); batches are broadcast.
Tensor linalg_solve_triangular(const Tensor& self, const Tensor& B, bool upper, bool left = true,
                               bool unitriangular = false);

// A X = self, or A^T X = self with `transpose`: X and a copy of A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper = true,
                                            bool transpose = false, bool unitriangular = false);

}  // namespace oneagent
