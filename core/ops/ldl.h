// Bunch-Kaufman factors A = L D L^T of symmetric matrices [..., n, n] (LAPACK sytrf), without
// gradient, as in PyTorch. The lower triangle is read; LD is zero above the diagonal, pivots are
// LAPACK's. `hermitian` says nothing about real matrices.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self,
                                             bool hermitian = false);  // LD, pivots
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, bool hermitian = false,
                                                        bool check_errors = false);  // and info
// A X = B [..., n, k]
Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B,
                        bool hermitian = false);

}  // namespace oneagent
