// Singular values of matrices [..., m, n] (LAPACK gesdd, with its signs): A = U diag(S) Vh, k =
// min(m, n) values, falling.
//
// The gradient is U ((skew(U^T dU) / E) S + S (skew(V^T dV) / E) + diag(dS)) V^T with skew(X) = X -
// X^T and E_ij = S_j^2 - S_i^2, plus the parts of dU and dV outside the spanned spaces
// (J. Townsend, "Differentiating the singular value decomposition", 2016). It is finite where
// singular values differ.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// U [..., m, m], S, Vh [..., n, n]; reduced: [..., m, k], [..., k, n]. Of the square factors only
// the first k columns and rows have gradients. driver: "gesdd" or none, as on PyTorch's CPU none is
// chosen.
std::tuple<Tensor, Tensor, Tensor> linalg_svd(
    const Tensor& A, bool full_matrices = true,
    std::optional<std::string_view> driver = std::nullopt);
std::tuple<Tensor, Tensor, Tensor> _linalg_svd(
    const Tensor& A, bool full_matrices = false, bool compute_uv = true,
    std::optional<std::string_view> driver = std::nullopt);
Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver = std::nullopt);

// U, S, V (not transposed). Without compute_uv U and V are zeros.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some = true,
                                       bool compute_uv = true);

}  // namespace oneagent
