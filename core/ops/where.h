// Selection by a bool mask. The mask and the operands are broadcast; operands are promoted.
#pragma once

#include <vector>

#include "core/ops/api.h"
#include "core/ops/masked.h"

namespace oneagent {

// self where the condition holds, else other. The condition is bool (uint8 is taken, too).
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
Tensor where(const Tensor& condition, const Tensor& self, Scalar other);
Tensor where(const Tensor& condition, Scalar self, const Tensor& other);
Tensor where(const Tensor& condition, Scalar self, Scalar other);
// Where it holds: a tensor of coordinates for each dimension.
std::vector<Tensor> where(const Tensor& condition);

}  // namespace oneagent
