// Eigenvalues of symmetric matrices [..., n, n], rising, and their vectors (LAPACK syevd, with its
// signs). UPLO "L" or "U" names the triangle that is read. The gradient is symmetric:
// V (diag(dL) + skew(V^T dV) / (2 E)) V^T with E_ij = L_j - L_i; it is finite where eigenvalues
// differ (M. B. Giles, 2008).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO = "L");
std::tuple<Tensor, Tensor> _linalg_eigh(const Tensor& A, std::string_view UPLO = "L",
                                        bool compute_v = true);  // without: vectors are [0]
Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO = "L");
std::tuple<Tensor, Tensor> symeig(const Tensor& self, bool eigenvectors = false, bool upper = true);

}  // namespace oneagent
