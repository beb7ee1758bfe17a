// Softmax and its logarithm along one dimension, in one pass over each row.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor softmax(const Tensor& x, int64_t dim);
Tensor log_softmax(const Tensor& x, int64_t dim);
// Over several dimensions; an empty list means all.
Tensor logsumexp(const Tensor& self, const Shape& dim, bool keepdim = false);

}  // namespace oneagent
