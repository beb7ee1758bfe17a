// Categories 0 .. n - 1 with probabilities [..., n], given as such (normalised here) or as logits.
// MaskedCategorical leaves categories out of every row: those where the mask (bool [..., n]) is
// false have probability exactly 0, a log_prob below -1e7, and no part in entropy, mode, samples or
// gradients. Every row needs one true entry; logits must be above -1e7.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Categorical : public Distribution {
 public:
  // Exactly one of both.
  explicit Categorical(const Tensor& probs, const Tensor& logits = {});
  // From logits, where there is a mask as MaskedCategorical.
  static Categorical of_logits(const Tensor& logits, const Tensor& mask = {}) {
    return mask.defined() ? Categorical(Masked{}, logits, mask) : Categorical({}, logits);
  }
  const char* name() const override { return "categorical"; }
  Tensor probs() const;
  const Tensor& logits() const { return logits_; }  // normalised: log of the probabilities
  int64_t num_events() const { return logits_.size(-1); }

  Tensor mean() const override;      // NaN
  Tensor variance() const override;  // NaN
  Tensor mode() const override;
  Tensor entropy() const override;
  Tensor enumerate_support(bool expand = true) const override;
  Constraint support() const override { return Constraint::kWhole; }

 protected:
  struct Masked {};
  Categorical(Masked, const Tensor& logits, const Tensor& mask);
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor probs_;  // where they were given
  Tensor logits_;
};

class MaskedCategorical final : public Categorical {
 public:
  MaskedCategorical(const Tensor& logits, const Tensor& mask)
      : Categorical(Masked{}, logits, mask) {}
  const char* name() const override { return "masked_categorical"; }
};

// Log-odds or logarithms of probabilities, which are kept away from 0 (and 1) by the type's
// precision.
Tensor binary_logits_of(const Tensor& probs);
Tensor logits_of(const Tensor& probs);
// Of exactly one given tensor; an Error otherwise.
const Tensor& one_given(const char* name, const Tensor& probs, const Tensor& logits);

}  // namespace oneagent::distributions
