// The normal distribution over vectors [..., d], by its covariance, its inverse (precision) or the
// lower Cholesky factor of the covariance (scale_tril, the cheapest).
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class MultivariateNormal final : public Distribution {
 public:
  // Exactly one of the three matrices [..., d, d].
  explicit MultivariateNormal(const Tensor& loc, const Tensor& covariance_matrix,
                              const Tensor& precision_matrix = {}, const Tensor& scale_tril = {});
  const char* name() const override { return "multivariate_normal"; }
  Tensor loc() const;
  Tensor scale_tril() const;
  Tensor covariance_matrix() const;
  Tensor precision_matrix() const;

  bool has_rsample() const override { return true; }
  Tensor mean() const override { return loc(); }
  Tensor mode() const override { return loc(); }
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kReal; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor half_log_det() const;
  Tensor loc_, scale_tril_;
};

}  // namespace oneagent::distributions
