#include "core/distributions/gamma.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

Gamma::Gamma(const Param& concentration, const Param& rate)
    : Gamma(concentration.tensor(common_dtype({&concentration, &rate})),
            rate.tensor(common_dtype({&concentration, &rate})), 0) {}

Gamma::Gamma(const Tensor& concentration, const Tensor& rate, int)
    : Distribution(broadcast_shapes("gamma", concentration.sizes(), rate.sizes()), {}),
      concentration_(concentration),
      rate_(rate) {
  check("concentration", concentration, Constraint::kPositive);
  check("rate", rate, Constraint::kPositive);
}

Tensor Gamma::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor shape = expand(concentration_, extended_shape(sample_shape));
  return _standard_gamma(shape, generator) / rate_;
}

Tensor Gamma::log_density(const Tensor& value) const {
  return concentration_ * log(rate_) + xlogy(concentration_ - 1.0, value) - rate_ * value -
         lgamma(concentration_);
}

Tensor Gamma::mean() const { return concentration_ / rate_; }
Tensor Gamma::mode() const { return clamp((concentration_ - 1.0) / rate_, 0.0); }
Tensor Gamma::variance() const { return concentration_ / square(rate_); }
Tensor Gamma::entropy() const {
  return concentration_ - log(rate_) + lgamma(concentration_) +
         (1.0 - concentration_) * digamma(concentration_);
}

Chi2::Chi2(const Param& df) : Gamma(df.tensor(common_dtype({&df})) * 0.5, 0.5) {}
Tensor Chi2::df() const { return concentration() * 2.0; }

}  // namespace oneagent::distributions
