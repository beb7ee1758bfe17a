// Numbers as operands of ops.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// scalar_tensor() of a number that need not fit: integers wrap, floating types become infinite.
Tensor wrapped_scalar(const Scalar& value, const TensorOptions& options);

}  // namespace oneagent
