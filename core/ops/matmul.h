// Matrix products. Transposed operands are read in place, without a copy.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor mm(const Tensor& a, const Tensor& b);   // [m, k] [k, n] -> [m, n]
Tensor bmm(const Tensor& a, const Tensor& b);  // [b, m, k] [b, k, n] -> [b, m, n]
Tensor matmul(const Tensor& a,
              const Tensor& b);  // numpy's rules: vectors, matrices, broadcast batches
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta = 1,
             Scalar alpha = 1);  // beta bias + alpha a b

}  // namespace oneagent
