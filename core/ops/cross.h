// Vector products of three components.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Along `dim`, of size 3; the other dimensions are broadcast.
Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1);
// Along the first dimension of size 3 where `dim` is absent.
Tensor cross(const Tensor& self, const Tensor& other, std::optional<int64_t> dim = std::nullopt);

}  // namespace oneagent
