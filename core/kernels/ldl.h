// Bunch-Kaufman factors of batches of symmetric matrices, A = L D L^T (LAPACK sytrf, sytrs).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// a [..., n, n], read in its lower triangle -> ld [..., n, n], zero above the diagonal, pivots
// [..., n] and info [...], int32.
void ldl_factor(Stream& stream, const Tensor& ld, const Tensor& pivots, const Tensor& info,
                const Tensor& a);

// out [..., n, k]: A out = b.
void ldl_solve(Stream& stream, const Tensor& out, const Tensor& ld, const Tensor& pivots,
               const Tensor& b);

}  // namespace oneagent
