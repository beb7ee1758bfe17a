// Singular value and symmetric eigenvalue decompositions of batches of matrices, the pseudo-inverse
// (LAPACK gesdd, syevd). Kernels that report `info` (int32, [...]) write LAPACK's code there: not 0
// where the algorithm did not converge.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// a [..., m, n] = U diag(s) Vh, s [..., k] falling, k = min(m, n). u [..., m, k], vh [..., k, n],
// or square ones; both undefined for the singular values alone.
void singular_values(Stream& stream, const Tensor& u, const Tensor& s, const Tensor& vh,
                     const Tensor& info, const Tensor& a);

// a [..., n, n] = V diag(values) V^T, values [..., n] rising; one triangle of a is read. `vectors`
// is undefined for the values alone.
void symmetric_eigenvalues(Stream& stream, const Tensor& values, const Tensor& vectors,
                           const Tensor& info, const Tensor& a, bool upper);

// out [..., n, m]: the pseudo-inverse of a [..., m, n]. Singular values up to max(atol, rtol times
// the largest) count as zero; the tolerances are tensors [...], broadcast, or undefined for 0.
// symmetric: by eigenvalues, from the lower triangle.
void pseudo_inverse(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a,
                    const Tensor& atol, const Tensor& rtol, bool symmetric);

}  // namespace oneagent
