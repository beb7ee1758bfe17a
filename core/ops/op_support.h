// Pieces that op files share: broadcasting, promotion, gradients of broadcast operands.
#pragma once

#include "core/ops/creation.h"
#include "core/ops/op.h"
#include "core/ops/result.h"

namespace oneagent {

// The common shape of two operands, numpy style; an Error names the op and both shapes.
Shape broadcast_sizes(const char* op, const Shape& a, const Shape& b);

// The gradient of an operand that was broadcast: summed to `sizes`.
Tensor sum_to(const Tensor& gradient, const Shape& sizes);

// The tensor itself when it is floating, else converted to the default floating type.
Tensor as_floating(const Tensor& x);

// self = f(self), for in-place forms without a kernel of their own: `f` sees a copy where gradients
// are recorded, because it may save its operand.
Tensor& replace_values(const char* name, const Tensor& self,
                       const std::function<Tensor(const Tensor&)>& f);

void require_same_dtype(const char* op, Metas in);
void require_floating(const char* op, const TensorMeta& in);

}  // namespace oneagent
