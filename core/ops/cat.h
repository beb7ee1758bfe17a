// Joining tensors. Types are promoted.
#pragma once

#include <vector>

#include "core/ops/api.h"
#include "core/ops/stack.h"

namespace oneagent {

// Equal shapes but for dim; tensors of shape [0] are left out.
Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor concat(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor concatenate(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);  // along a new dimension

// Matrices (or vectors, or numbers) along the diagonal of a matrix of zeros.
Tensor block_diag(const std::vector<Tensor>& tensors);

}  // namespace oneagent
