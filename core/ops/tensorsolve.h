// Linear systems of tensors, seen as square matrices.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

// The inverse of self as a matrix whose rows are its first `ind` dimensions; the result has the
// other dimensions first.
Tensor linalg_tensorinv(const Tensor& self, int64_t ind = 2);

// The x with tensordot(self, x) = other, over the last dimensions of self; `dims` are moved there
// first.
Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other,
                          OptionalShape dims = std::nullopt);

}  // namespace oneagent
