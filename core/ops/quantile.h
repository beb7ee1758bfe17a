// Quantiles of floating tensors. q is a number or a 1-d tensor of numbers in [0, 1]; with a tensor
// the results stand along a new first dimension. Without dim: of all elements. `interpolation` says
// what lies between two elements: linear, lower, higher, midpoint or nearest.
#pragma once

#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

// NaN where there is one.
Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim = std::nullopt,
                bool keepdim = false, std::string_view interpolation = "linear");
Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim = std::nullopt,
                bool keepdim = false, std::string_view interpolation = "linear");
// Of the elements that are not NaN.
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim = std::nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");
Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim = std::nullopt,
                   bool keepdim = false, std::string_view interpolation = "linear");

}  // namespace oneagent
