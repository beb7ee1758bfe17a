// The Dirichlet distribution over probabilities [..., n] with density proportional to the product
// of x_i^(concentration_i - 1).
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Dirichlet final : public Distribution {
 public:
  explicit Dirichlet(const Tensor& concentration);
  const char* name() const override { return "dirichlet"; }
  const Tensor& concentration() const { return concentration_; }

  bool has_rsample() const override { return true; }
  Tensor mean() const override;
  Tensor mode() const override;  // one-hot at the largest where all are below 1
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kSimplex; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor concentration_;
};

}  // namespace oneagent::distributions
