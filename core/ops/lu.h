// LU factors with partial pivoting of matrices [..., m, n]: A = P L U, with L and U in one matrix
// (the ones of L's diagonal are left out) and LAPACK's pivots (int32, from 1). `pivot` must be
// true, as on PyTorch's CPU.
//
// The gradient for square A is P L^-T (low(L^T dL) + up(dU U^T)) U^-T, low being what is below the
// diagonal; the forms for other shapes follow from writing A as two blocks.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot = true);  // LU, pivots
std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(  // and info: the first zero of U's diagonal
    const Tensor& A, bool pivot = true, bool check_errors = false);
std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, bool pivot = true,
                                                 bool check_errors = true);

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot = true);  // P, L, U
// P, L, U; those that are not asked for have the shape [0].
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             bool unpack_data = true, bool unpack_pivots = true);

// A X = B (left) or X A = B, with A^T in place of A where `adjoint`; batches are broadcast.
Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left = true,
                       bool adjoint = false);
Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots);

}  // namespace oneagent
