// The pseudo-inverse of matrices [..., m, n] and their rank, by singular values (hermitian: by the
// eigenvalues of the lower triangle). Values up to max(atol, rtol times the largest) count as zero;
// tolerances are numbers or tensors that are broadcast to the batches. Without both, rtol is the
// step of the type times max(m, n); with atol alone it is 0. The gradient is that of constant rank
// (G. H. Golub and V. Pereyra, 1973).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor linalg_pinv(const Tensor& self, const std::optional<Tensor>& atol = {},
                   const std::optional<Tensor>& rtol = {}, bool hermitian = false);
Tensor linalg_pinv(const Tensor& self, std::optional<double> atol, std::optional<double> rtol,
                   bool hermitian = false);
Tensor linalg_pinv(const Tensor& self, double rcond, bool hermitian = false);
Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool hermitian = false);
Tensor pinverse(const Tensor& self, double rcond = 1e-15);

Tensor linalg_matrix_rank(const Tensor& input, const std::optional<Tensor>& atol = {},
                          const std::optional<Tensor>& rtol = {}, bool hermitian = false);
Tensor linalg_matrix_rank(const Tensor& self, std::optional<double> atol,
                          std::optional<double> rtol, bool hermitian = false);
Tensor linalg_matrix_rank(const Tensor& self, double tol, bool hermitian = false);
Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian = false);

}  // namespace oneagent
