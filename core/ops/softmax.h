// Softmax and its logarithm along one dimension, in one pass over each row.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor softmax(const Tensor& x, int64_t dim);
Tensor log_softmax(const Tensor& x, int64_t dim);
Tensor logsumexp(const Tensor& x, int64_t dim, bool keepdim = false);

}  // namespace oneagent
