#include "core/distributions/poisson.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

Poisson::Poisson(const Param& rate) : Poisson(rate.tensor(common_dtype({&rate})), 0) {}
Poisson::Poisson(const Tensor& rate, int) : Distribution(rate.sizes(), {}), rate_(rate) {
  check("rate", rate, Constraint::kNotNegative);
}

Tensor Poisson::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return poisson(expand(rate_, extended_shape(sample_shape)), generator);
}

Tensor Poisson::log_density(const Tensor& value) const {
  const Tensor count = to(value, rate_.dtype());
  return xlogy(count, rate_) - rate_ - lgamma(count + 1.0);
}

Tensor Poisson::mode() const { return floor(rate_); }

}  // namespace oneagent::distributions
