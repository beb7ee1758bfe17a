// The number of failures before the first success, each trial with probability probs.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Geometric final : public Distribution {
 public:
  explicit Geometric(const Tensor& probs, const Tensor& logits = {});  // one of both
  const char* name() const override { return "geometric"; }
  Tensor probs() const { return batch(probs_.defined() ? probs_ : logits_.sigmoid()); }
  Tensor logits() const { return batch(logits_); }

  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
  Constraint support() const override { return Constraint::kWhole; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor probs_;  // where they were given
  Tensor logits_;
};

}  // namespace oneagent::distributions
