// Cholesky factors A = L L^T (upper: U^T U) of symmetric positive-definite matrices [..., n, n];
// one triangle of A is read. The gradient is symmetric: L^-T sym(tri(L^T dL)) L^-1, where tri takes
// the lower triangle with half the diagonal.
//
// I. Murray, "Differentiation of the Cholesky decomposition", 2016; S. F. Walter and L. Lehmann,
// 2012.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor linalg_cholesky(const Tensor& self, bool upper = false);  // an Error names a bad minor
Tensor cholesky(const Tensor& self, bool upper = false);

// The factor and info (int32): 0, or the order of the first leading minor that is not positive.
std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& self, bool upper = false,
                                              bool check_errors = false);

// A X = self [..., n, k], input2 being the factor of A.
Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper = false);
Tensor cholesky_inverse(const Tensor& self, bool upper = false);  // of A, from its factor

}  // namespace oneagent
