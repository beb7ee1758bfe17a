#include "core/distributions/exponential.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

Exponential::Exponential(const Param& rate) : Exponential(rate.tensor(common_dtype({&rate})), 0) {}
Exponential::Exponential(const Tensor& rate, int) : Distribution(rate.sizes(), {}), rate_(rate) {
  check("rate", rate, Constraint::kPositive);
}

Tensor Exponential::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return neg(log(open_uniform(extended_shape(sample_shape), rate_.dtype(), generator))) / rate_;
}

Tensor Exponential::log_density(const Tensor& value) const { return log(rate_) - rate_ * value; }

Tensor Exponential::cdf(const Tensor& value) const { return neg(expm1(neg(rate_ * value))); }
Tensor Exponential::icdf(const Tensor& probability) const {
  return neg(log1p(neg(probability))) / rate_;
}
Tensor Exponential::mean() const { return reciprocal(rate_); }
Tensor Exponential::mode() const { return zeros_like(rate_); }
Tensor Exponential::variance() const { return reciprocal(square(rate_)); }
Tensor Exponential::entropy() const { return 1.0 - log(rate_); }

}  // namespace oneagent::distributions
