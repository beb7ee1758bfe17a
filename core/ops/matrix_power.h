// Powers and chains of matrix products.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// [..., n, n]; by repeated squaring, of the inverse where n is negative.
Tensor linalg_matrix_power(const Tensor& self, int64_t n);
Tensor matrix_power(const Tensor& self, int64_t n);

// The product of matrices (the first and the last may be vectors), in the order that costs least.
Tensor linalg_multi_dot(const std::vector<Tensor>& tensors);
Tensor chain_matmul(const std::vector<Tensor>& matrices);

// Every element of self times other: [m, n], [p, q] -> [m p, n q]; any number of dimensions.
Tensor kron(const Tensor& self, const Tensor& other);

}  // namespace oneagent
