// Selection by a bool mask.
#pragma once

#include "core/graph/op.h"
#include "core/ops/masked.h"

namespace oneagent {

Tensor where(const Tensor& condition, const Tensor& a,
             const Tensor& b);  // a where the condition holds, else b; broadcast and promoted
Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
Tensor where(const Tensor& condition, Scalar a, const Tensor& b);

}  // namespace oneagent
