// Samples of the gamma distribution with rate 1, differentiable in its shape parameter by implicit
// reparameterisation (Figurnov 2018), and of the Dirichlet distribution.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// One sample for each element of `concentration`, which is positive.
Tensor _standard_gamma(const Tensor& concentration,
                       std::optional<Generator> generator = std::nullopt);
// The derivative of such samples; it has none itself.
Tensor _standard_gamma_grad(const Tensor& concentration, const Tensor& output);
// Along the last dimension; made of gamma samples.
Tensor _sample_dirichlet(const Tensor& concentration,
                         std::optional<Generator> generator = std::nullopt);

}  // namespace oneagent
