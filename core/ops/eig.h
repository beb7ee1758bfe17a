// Eigenvalues of general square matrices, which are complex.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// [..., n, n] -> eigenvalues [..., n] and eigenvectors [..., n, n] as columns of length 1, in
// LAPACK's order. Gradients hold where the eigenvalues differ and what depends on an eigenvector
// does not change with its phase.
std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self);
Tensor linalg_eigvals(const Tensor& self);

}  // namespace oneagent
