// Writing elements through an index tensor along one dimension: for dimension 1
// out[i][index[i][j][k]][k] = src[i][j][k]. The index is int64 and nowhere larger than `src`; of
// equal indices the last one wins. An index out of range is an Error, negative ones are not
// wrapped.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
// reduce: "add" or "multiply".
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce);
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
               std::string_view reduce);
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
// reduce: "sum", "prod", "mean", "amax" or "amin"; without include_self elements that something is
// scattered to forget their own value.
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self = true);

const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value);
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce);
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                       std::string_view reduce);
const Tensor& scatter_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src);
const Tensor& scatter_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& src, std::string_view reduce, bool include_self = true);

}  // namespace oneagent
