// Reading and writing through int64 indices. An index out of range is an Error; negative indices
// are not wrapped.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index,
               const Tensor& source);  // of equal indices the last one wins
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);  // index is 1-d
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor one_hot(const Tensor& index, int64_t num_classes = -1);  // int64; -1: the largest index + 1

}  // namespace oneagent
