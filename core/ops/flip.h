// Reversed and rotated copies.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor flip(const Tensor& self, const Shape& dims);
Tensor fliplr(const Tensor& self);  // dimension 1
Tensor flipud(const Tensor& self);  // dimension 0
// k quarter turns in the plane of two dimensions, from the first towards the second.
Tensor rot90(const Tensor& self, int64_t k = 1, const Shape& dims = {0, 1});

// Elements move by shifts[i] along dims[i]; those that leave come in again. Without dims the flat
// tensor is rolled.
Tensor roll(const Tensor& self, const Shape& shifts, const Shape& dims = {});

}  // namespace oneagent
