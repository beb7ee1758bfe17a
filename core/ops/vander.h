// Vandermonde matrices: the powers 0..N-1 of the last dimension's elements as rows.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor linalg_vander(const Tensor& x,
                     std::optional<int64_t> N = std::nullopt);  // [..., n] -> [..., n, N]; N = n
// Of a vector; the highest power comes first unless `increasing`.
Tensor vander(const Tensor& x, std::optional<int64_t> N = std::nullopt, bool increasing = false);

}  // namespace oneagent
