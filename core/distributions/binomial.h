// The number of successes in total_count trials, each with probability probs.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Binomial final : public Distribution {
 public:
  Binomial(const Param& total_count, const Tensor& probs, const Tensor& logits = {});
  const char* name() const override { return "binomial"; }
  Tensor probs() const { return batch(probs_.defined() ? probs_ : logits_.sigmoid()); }
  Tensor logits() const { return batch(logits_); }

  Tensor total_count() const { return batch(total_count_); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  // These two need one total_count for all.
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  Constraint support() const override { return Constraint::kWhole; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  int64_t single_count(const char* what) const;
  Tensor total_count_;
  Tensor probs_;  // where they were given
  Tensor logits_;
};

}  // namespace oneagent::distributions
