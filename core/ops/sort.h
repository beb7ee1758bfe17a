// Sorting along one dimension. Sorts are stable whether that is asked for or not; a NaN is larger
// than any number.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Values and int64 indices.
std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim = -1, bool descending = false);
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<bool> stable, int64_t dim = -1,
                                bool descending = false);
Tensor argsort(const Tensor& self, int64_t dim = -1, bool descending = false);
Tensor argsort(const Tensor& self, bool stable, int64_t dim = -1, bool descending = false);
Tensor msort(const Tensor& self);  // the values, along dimension 0

}  // namespace oneagent
