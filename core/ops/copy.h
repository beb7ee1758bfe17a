// Conversions and copies.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor to(const Tensor& x, DType dtype);  // the tensor itself when it has the dtype
Tensor clone(const Tensor& x);            // contiguous, with gradient
Tensor contiguous(const Tensor& x);       // the tensor itself when it is contiguous
const Tensor& copy_(const Tensor& self, const Tensor& source);
const Tensor& fill_(const Tensor& self, Scalar value);

}  // namespace oneagent
