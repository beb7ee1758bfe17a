// Eigenvalues and eigenvectors of general matrices, by LAPACK's geev.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// a [..., n, n] real or complex -> complex values [..., n] and, unless undefined, vectors
// [..., n, n], all contiguous and of one precision. Error: no convergence.
void run_eig(Stream& stream, const Tensor& values, const Tensor& vectors, const Tensor& a);

}  // namespace oneagent
