// Least squares: the X that makes |A X - B| smallest (LAPACK gels, gelsy, gelsd, gelss).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

enum class LeastSquares : uint8_t {
  kQr,          // gels: full rank is assumed
  kPivotedQr,   // gelsy: the rank is found
  kDividedSvd,  // gelsd: rank and singular values
  kSvd          // gelss
};

// a [..., m, n], b [..., m, k] -> x [..., n, k]; rank [...] (int64) and singular [..., min(m, n)]
// where the method finds them, else undefined. Singular values below rcond times the largest count
// as zero.
void least_squares(Stream& stream, LeastSquares method, double rcond, const Tensor& x,
                   const Tensor& rank, const Tensor& singular, const Tensor& a, const Tensor& b);

}  // namespace oneagent
