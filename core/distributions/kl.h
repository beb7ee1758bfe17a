// The Kullback-Leibler divergence E_p [log p(x) - log q(x)], [...] of the batch, in closed form:
// for two of one family, for Independent, transformed and masked ones of the same kind, and for
// Exponential with Gamma, Uniform with Normal, Laplace with Normal and Normal with Laplace.
// Infinite where p has values that q has not. An Error names pairs without closed form.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

Tensor kl_divergence(const Distribution& p, const Distribution& q);

}  // namespace oneagent::distributions
