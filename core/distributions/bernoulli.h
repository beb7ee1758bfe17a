// 1 with probability probs, else 0, in the type of the parameters.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Bernoulli final : public Distribution {
 public:
  explicit Bernoulli(const Tensor& probs, const Tensor& logits = {});  // one of both
  const char* name() const override { return "bernoulli"; }
  Tensor probs() const { return batch(probs_.defined() ? probs_ : logits_.sigmoid()); }
  Tensor logits() const { return batch(logits_); }

  Tensor mean() const override { return probs(); }
  Tensor mode() const override;  // NaN at 1/2
  Tensor variance() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  Constraint support() const override { return Constraint::kZeroOrOne; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor probs_;  // where they were given
  Tensor logits_;
};

}  // namespace oneagent::distributions
