// Counts of independent events at a rate.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Poisson final : public Distribution {
 public:
  explicit Poisson(const Param& rate);
  const char* name() const override { return "poisson"; }
  const Tensor& rate() const { return rate_; }

  Tensor mean() const override { return rate_; }
  Tensor mode() const override;
  Tensor variance() const override { return rate_; }
  Constraint support() const override { return Constraint::kWhole; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Poisson(const Tensor& rate, int);
  Tensor rate_;
};

}  // namespace oneagent::distributions
