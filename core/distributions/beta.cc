#include "core/distributions/beta.h"

#include <limits>

#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {

Tensor log_beta(const Tensor& a, const Tensor& b) { return lgamma(a) + lgamma(b) - lgamma(a + b); }

}  // namespace

Beta::Beta(const Param& concentration1, const Param& concentration0)
    : Beta(concentration1.tensor(common_dtype({&concentration1, &concentration0})),
           concentration0.tensor(common_dtype({&concentration1, &concentration0})), 0) {}

Beta::Beta(const Tensor& concentration1, const Tensor& concentration0, int)
    : Distribution(broadcast_shapes("beta", concentration1.sizes(), concentration0.sizes()), {}),
      concentration1_(concentration1),
      concentration0_(concentration0) {
  check("concentration1", concentration1, Constraint::kPositive);
  check("concentration0", concentration0, Constraint::kPositive);
}

// g1 / (g1 + g0) of two gamma samples.
Tensor Beta::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Shape sizes = extended_shape(sample_shape);
  const Tensor g1 = _standard_gamma(expand(concentration1_, sizes), generator);
  const Tensor g0 = _standard_gamma(expand(concentration0_, sizes), generator);
  return g1 / (g1 + g0);
}

Tensor Beta::log_density(const Tensor& value) const {
  return xlogy(concentration1_ - 1.0, value) + xlogy(concentration0_ - 1.0, 1.0 - value) -
         log_beta(concentration1_, concentration0_);
}

Tensor Beta::mean() const { return concentration1_ / (concentration1_ + concentration0_); }
Tensor Beta::mode() const {
  const Tensor a = clamp(concentration1_ - 1.0, 0.0), b = clamp(concentration0_ - 1.0, 0.0);
  const Tensor corner =
      where(gt(concentration1_, concentration0_), ones_like(a + b), zeros_like(a + b));
  const Tensor both_low = logical_and(lt(concentration1_, 1.0), lt(concentration0_, 1.0));
  const Tensor tie = eq(concentration1_, concentration0_);
  const Tensor low =
      where(tie, full({}, std::numeric_limits<double>::quiet_NaN(), a.dtype()), corner);
  return where(both_low, low, a / (a + b));
}
Tensor Beta::variance() const {
  const Tensor total = concentration1_ + concentration0_;
  return concentration1_ * concentration0_ / (square(total) * (total + 1.0));
}
Tensor Beta::entropy() const {
  const Tensor total = concentration1_ + concentration0_;
  return log_beta(concentration1_, concentration0_) -
         (concentration1_ - 1.0) * digamma(concentration1_) -
         (concentration0_ - 1.0) * digamma(concentration0_) + (total - 2.0) * digamma(total);
}

}  // namespace oneagent::distributions
