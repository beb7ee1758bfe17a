// The exponential of matrices [..., n, n]. Its gradient is a block of the exponential of
// [[A^T, dX], [0, A^T]] (R. Mathias, 1996).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor matrix_exp(const Tensor& self);
Tensor linalg_matrix_exp(const Tensor& self);

}  // namespace oneagent
