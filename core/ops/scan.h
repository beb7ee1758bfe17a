// Running reductions along one dimension; the result has the operand's shape. Sums and products of
// bool and integers are int64.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

OA_IN_PLACE
Tensor cumsum(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt);
// The gradient holds where elements are zero, too.
OA_IN_PLACE
Tensor cumprod(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt);
Tensor logcumsumexp(const Tensor& self, int64_t dim);
// Values and int64 indices, of equal elements the last; a NaN stays.
std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim);
std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim);

}  // namespace oneagent
