// The Laplace distribution: density exp(-|x - loc| / scale) / (2 scale).
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Laplace final : public Distribution {
 public:
  Laplace(const Param& loc, const Param& scale);
  const char* name() const override { return "laplace"; }
  Tensor loc() const { return batch(loc_); }
  Tensor scale() const { return batch(scale_); }

  bool has_rsample() const override { return true; }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  Tensor mean() const override;
  Tensor mode() const override { return loc(); }
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kReal; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Laplace(const Tensor& loc, const Tensor& scale, int);
  Tensor loc_, scale_;  // as given, not yet broadcast
};

}  // namespace oneagent::distributions
