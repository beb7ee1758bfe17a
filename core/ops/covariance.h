// Covariances and correlations of the rows of a matrix (variables, observations); a vector is one
// variable.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Divided by the number of observations less `correction`. fweights: how often each observation
// counts (integers); aweights: its relative weight.
Tensor cov(const Tensor& self, int64_t correction = 1, const std::optional<Tensor>& fweights = {},
           const std::optional<Tensor>& aweights = {});
Tensor corrcoef(const Tensor& self);

}  // namespace oneagent
