// Elements chosen by a mask of bool (uint8 is taken, too), which is broadcast against the tensor.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);  // 0-d
// The chosen elements in row-major order, 1-d.
Tensor masked_select(const Tensor& self, const Tensor& mask);
// The chosen elements are taken from `source`, one after the other.
Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source);

const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, Scalar value);
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value);
const Tensor& masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source);

}  // namespace oneagent
