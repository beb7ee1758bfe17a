// Gated linear unit (Dauphin et al. 2017): the halves a and b of a dimension give a sigmoid(b).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor glu(const Tensor& self, int64_t dim = -1);  // dim has an even size, which is halved
Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim);

}  // namespace oneagent
