// Reading and writing single elements of a tensor as if it were flat. The index is int64; negative
// values count from the end, others out of range are an Error.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor take(const Tensor& self, const Tensor& index);  // has the index's shape
// A copy with source's elements, as many as index has, written at the indices; accumulate: added.
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate = false);
const Tensor& put_(const Tensor& self, const Tensor& index, const Tensor& source,
                   bool accumulate = false);

}  // namespace oneagent
