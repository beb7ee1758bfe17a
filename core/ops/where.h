// Selection by a bool mask. The mask and the operands are broadcast; operands are promoted.
#pragma once

#include <vector>

#include "core/graph/op.h"
#include "core/ops/api.h"

namespace oneagent {

// self where the condition holds, else other. The condition is bool (uint8 is taken, too).
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& self, Scalar other);
Tensor where(const Tensor& condition, Scalar self, const Tensor& other);
Tensor where(const Tensor& condition, Scalar self, Scalar other);

// The value, in the type of self, where the mask holds.
Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value);
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);  // value: 0-d
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, Scalar value);
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value);

}  // namespace oneagent
