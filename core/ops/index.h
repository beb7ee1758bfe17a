// Reading and writing whole slices along one dimension through a 1-d (or 0-d) index, int32 or int64
// where PyTorch takes both. An index out of range is an Error; negative ones are wrapped by
// index_fill only.
#pragma once

#include "core/ops/api.h"
#include "core/ops/gather.h"
#include "core/ops/index_reduce.h"
#include "core/ops/one_hot.h"
#include "core/ops/scatter.h"

namespace oneagent {

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index);
// self[:, index, :] += alpha * source
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 Scalar alpha = 1);
// self[:, index, :] = source; the index is int64. Of equal indices the last one wins.
Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source);
// self[:, index, :] = value; the index is int64, a tensor is 0-d.
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value);

const Tensor& index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         Scalar alpha = 1);
const Tensor& index_copy_(const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& source);
const Tensor& index_fill_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
const Tensor& index_fill_(const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& value);

}  // namespace oneagent
