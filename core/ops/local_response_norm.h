// Normalisation across neighbouring channels of [N, C, ...]: x / (k + alpha / size sum of x^2 over
// `size` channels around)^beta (Krizhevsky et al. 2012), as torch::nn::functional has it.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor local_response_norm(const Tensor& input, int64_t size, double alpha = 1e-4,
                           double beta = 0.75, double k = 1.0);

}  // namespace oneagent
