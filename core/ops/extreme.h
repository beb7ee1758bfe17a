// Largest and smallest elements. A NaN wins; of equal elements the first is named. Without
// dimensions (or with a list and no index) the gradient is shared among ties.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor amax(const Tensor& self, const Shape& dim = {}, bool keepdim = false);
Tensor amin(const Tensor& self, const Shape& dim = {}, bool keepdim = false);
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<int64_t> dim = std::nullopt,
                                   bool keepdim = false);

Tensor max(const Tensor& self);
Tensor min(const Tensor& self);
// Values and int64 indices.
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim = false);
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor argmax(const Tensor& self, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);
Tensor argmin(const Tensor& self, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);

// Of two tensors: maximum and minimum.
Tensor max(const Tensor& self, const Tensor& other);
Tensor min(const Tensor& self, const Tensor& other);

}  // namespace oneagent
