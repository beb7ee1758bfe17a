// Categorical whose values are one-hot vectors [..., n] of the parameters' type.
#pragma once

#include "core/distributions/categorical.h"

namespace oneagent::distributions {

class OneHotCategorical final : public Distribution {
 public:
  explicit OneHotCategorical(const Tensor& probs, const Tensor& logits = {});
  const char* name() const override { return "one_hot_categorical"; }
  Tensor probs() const { return categorical_.probs(); }
  const Tensor& logits() const { return categorical_.logits(); }
  const Categorical& categorical() const { return categorical_; }

  Tensor mean() const override { return probs(); }
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override { return categorical_.entropy(); }
  Tensor enumerate_support(bool expand = true) const override;
  Constraint support() const override { return Constraint::kOneHot; }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Categorical categorical_;
};

}  // namespace oneagent::distributions
