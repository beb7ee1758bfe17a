// Cholesky factors A = L L^T = U^T U of batches of matrices, and what is solved with them (LAPACK
// potrf, potri; BLAS trsm).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out [..., n, n] is L or U, zero in the other triangle; `a` is read in the same triangle only.
// info [...] (int32): 0, or the order of the first leading minor that is not positive.
void cholesky_factor(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a,
                     bool upper);

// out [..., n, k]: A out = b, with the factor of A.
void cholesky_solve(Stream& stream, const Tensor& out, const Tensor& b, const Tensor& factor,
                    bool upper);

// out [..., n, n]: the inverse of A, from its factor.
void cholesky_inverse(Stream& stream, const Tensor& out, const Tensor& factor, bool upper);

}  // namespace oneagent
