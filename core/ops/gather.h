// Reading elements through an index tensor along one dimension. The index is int64; an index out of
// range is an Error, negative ones are not wrapped.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Of dimension 1: out[i][j][k] = self[i][index[i][j][k]][k]. Outside `dim` the index may be smaller
// than the tensor. There are no sparse gradients: sparse_grad must be false.
Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad = false);

// gather with tensor and indices broadcast against each other; without dim both are flattened.
Tensor take_along_dim(const Tensor& self, const Tensor& indices,
                      std::optional<int64_t> dim = std::nullopt);

}  // namespace oneagent
