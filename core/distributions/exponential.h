// The exponential distribution: density rate exp(-rate x) for x >= 0.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Exponential final : public Distribution {
 public:
  explicit Exponential(const Param& rate);
  const char* name() const override { return "exponential"; }
  const Tensor& rate() const { return rate_; }

  bool has_rsample() const override { return true; }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kNotNegative; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  explicit Exponential(const Tensor& rate, int);
  Tensor rate_;
};

}  // namespace oneagent::distributions
