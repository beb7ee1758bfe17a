// Products of vectors.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor dot(const Tensor& self, const Tensor& tensor);   // [n] [n] -> []
Tensor vdot(const Tensor& self, const Tensor& other);   // of conj(self)
Tensor outer(const Tensor& self, const Tensor& vec2);   // [m] [n] -> [m, n]
Tensor ger(const Tensor& self, const Tensor& vec2);     // outer
Tensor inner(const Tensor& self, const Tensor& other);  // over both last dimensions
Tensor linalg_vecdot(const Tensor& x, const Tensor& y,
                     int64_t dim = -1);  // along one dimension, the others are broadcast

}  // namespace oneagent
