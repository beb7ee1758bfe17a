// Joining tensors.
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace oneagent {

Tensor cat(const std::vector<Tensor>& tensors,
           int64_t dim = 0);  // equal shapes but for dim; one dtype
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);  // along a new dimension

}  // namespace oneagent
