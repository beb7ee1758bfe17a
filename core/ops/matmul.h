// Matrix products. Transposed operands are read in place, without a copy; integer types are served,
// too.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor mm(const Tensor& self, const Tensor& mat2);   // [m, k] [k, n] -> [m, n]
Tensor bmm(const Tensor& self, const Tensor& mat2);  // [b, m, k] [b, k, n] -> [b, m, n]
Tensor mv(const Tensor& self, const Tensor& vec);    // [m, k] [k] -> [m]

// numpy's rules: vectors, matrices, broadcast batches.
Tensor matmul(const Tensor& self, const Tensor& other);
Tensor linalg_matmul(const Tensor& self, const Tensor& other);

}  // namespace oneagent
