#include "core/distributions/uniform.h"

#include <limits>

#include "core/ops/ops.h"

namespace oneagent::distributions {

Uniform::Uniform(const Param& low, const Param& high)
    : Uniform(low.tensor(common_dtype({&low, &high})), high.tensor(common_dtype({&low, &high})),
              0) {}

Uniform::Uniform(const Tensor& low, const Tensor& high, int)
    : Distribution(broadcast_shapes("uniform", low.sizes(), high.sizes()), {}),
      low_(low),
      high_(high) {
  if (validates()) require("uniform", "high - low", (high - low).detach(), Constraint::kPositive);
}

Tensor Uniform::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return low_ + (high_ - low_) * rand(extended_shape(sample_shape), generator, low_.dtype());
}

Tensor Uniform::log_density(const Tensor& value) const {
  const Tensor inside = logical_and(ge(value, low_), lt(value, high_));
  return where(inside, neg(log(high_ - low_)), -std::numeric_limits<double>::infinity());
}

Tensor Uniform::cdf(const Tensor& value) const {
  return clamp((value - low_) / (high_ - low_), 0.0, 1.0);
}
Tensor Uniform::icdf(const Tensor& probability) const {
  return low_ + probability * (high_ - low_);
}
Tensor Uniform::mean() const { return (high_ + low_) * 0.5; }
Tensor Uniform::variance() const { return square(high_ - low_) * (1.0 / 12); }
Tensor Uniform::entropy() const { return log(high_ - low_); }

}  // namespace oneagent::distributions
