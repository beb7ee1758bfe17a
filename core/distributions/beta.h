// The beta distribution: density proportional to x^(concentration1 - 1) (1 - x)^(concentration0 -
// 1) on [0, 1].
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Beta final : public Distribution {
 public:
  Beta(const Param& concentration1, const Param& concentration0);
  const char* name() const override { return "beta"; }
  Tensor concentration1() const { return batch(concentration1_); }
  Tensor concentration0() const { return batch(concentration0_); }

  bool has_rsample() const override { return true; }
  Tensor mean() const override;
  Tensor mode() const override;  // NaN where neither is larger than 1 and there is no single one
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kUnitInterval; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Beta(const Tensor& concentration1, const Tensor& concentration0, int);
  Tensor concentration1_, concentration0_;
};

}  // namespace oneagent::distributions
