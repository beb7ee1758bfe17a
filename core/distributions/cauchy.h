// The Cauchy (Lorentz) distribution with median loc and half width scale. Its mean is NaN, its
// variance infinite.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Cauchy final : public Distribution {
 public:
  Cauchy(const Param& loc, const Param& scale);
  const char* name() const override { return "cauchy"; }
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
  Cauchy(const Tensor& loc, const Tensor& scale, int);
  Tensor loc_, scale_;  // as given, not yet broadcast
};

}  // namespace oneagent::distributions
