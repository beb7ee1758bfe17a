// Triangular systems of batches of matrices (BLAS trsm, trsv).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct TriangularSystem {
  bool left = true;         // A X = B, not X A = B
  bool upper = true;        // the triangle of A that is read
  bool transposed = false;  // A^T in place of A
  bool unit = false;        // ones on the diagonal, which is not read
};

// out = X; batches of `a` may be broadcast (strides of zero).
void triangular_solve(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
                      const TriangularSystem& system);

}  // namespace oneagent
