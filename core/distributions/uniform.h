// The uniform distribution on [low, high); log_prob outside is minus infinity.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Uniform final : public Distribution {
 public:
  Uniform(const Param& low, const Param& high);
  const char* name() const override { return "uniform"; }
  Tensor low() const { return batch(low_); }
  Tensor high() const { return batch(high_); }

  bool has_rsample() const override { return true; }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kReal; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Uniform(const Tensor& low, const Tensor& high, int);
  Tensor low_, high_;
};

}  // namespace oneagent::distributions
