// LU factors with partial pivoting, A = P L U, of batches of matrices (LAPACK getrf, getri; BLAS
// trsm). Pivots are LAPACK's: row i was exchanged with row pivots[i] - 1, in order of i. `info` is
// 0 or the number of the first diagonal element of U that is zero.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// a [..., m, n] -> lu [..., m, n], pivots [..., min(m, n)] and info [...], int32
void lu_factor(Stream& stream, const Tensor& lu, const Tensor& pivots, const Tensor& info,
               const Tensor& a);

struct LuSystem {
  bool left = true;         // A X = B, not X A = B
  bool transposed = false;  // A^T in place of A
};
// out = X; batches of `lu` and `pivots` are broadcast to those of b.
void lu_solve(Stream& stream, const Tensor& out, const Tensor& lu, const Tensor& pivots,
              const Tensor& b, const LuSystem& system);

// out [..., n, n] is the inverse of a where info is 0.
void invert(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a);

// p [..., m, m], l [..., m, k], u [..., k, n]; undefined ones are left out.
void lu_unpack(Stream& stream, const Tensor& p, const Tensor& l, const Tensor& u, const Tensor& lu,
               const Tensor& pivots);

// out [..., rows] (int64): row i of P^T A is row out[i] of A; inverse: of P A.
void pivots_to_permutation(const Tensor& out, const Tensor& pivots, bool inverse);

// From lu and pivots: the determinant, or its sign and the logarithm of its size.
void lu_determinant(const Tensor& determinant, const Tensor& lu, const Tensor& pivots);
void lu_log_determinant(const Tensor& sign, const Tensor& logarithm, const Tensor& lu,
                        const Tensor& pivots);

}  // namespace oneagent
