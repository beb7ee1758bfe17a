// log(sum(exp(x))) over dimensions, without overflow.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// An empty list means all dimensions.
Tensor logsumexp(const Tensor& self, const Shape& dim, bool keepdim = false);
Tensor special_logsumexp(const Tensor& self, const Shape& dim, bool keepdim = false);

}  // namespace oneagent
