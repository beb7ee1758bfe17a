// The gamma distribution: density rate^a x^(a - 1) exp(-rate x) / Gamma(a), a = concentration.
// Samples are differentiable in both parameters (Figurnov 2018). Chi2: Gamma(df / 2, 1 / 2).
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Gamma : public Distribution {
 public:
  Gamma(const Param& concentration, const Param& rate);
  const char* name() const override { return "gamma"; }
  Tensor concentration() const { return batch(concentration_); }
  Tensor rate() const { return batch(rate_); }

  bool has_rsample() const override { return true; }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kNotNegative; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Gamma(const Tensor& concentration, const Tensor& rate, int);
  Tensor concentration_, rate_;
};

class Chi2 final : public Gamma {
 public:
  explicit Chi2(const Param& df);
  const char* name() const override { return "chi2"; }
  Tensor df() const;
};

}  // namespace oneagent::distributions
