#include "core/distributions/one_hot_categorical.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

OneHotCategorical::OneHotCategorical(const Tensor& probs, const Tensor& logits)
    : Distribution({}, {}), categorical_(probs, logits) {
  batch_shape_ = categorical_.batch_shape();
  event_shape_ = {categorical_.num_events()};
}

Tensor OneHotCategorical::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return to(one_hot(categorical_.sample(sample_shape, generator), categorical_.num_events()),
            logits().dtype());
}

Tensor OneHotCategorical::log_density(const Tensor& value) const {
  return categorical_.log_prob(argmax(value, -1));
}

Tensor OneHotCategorical::mode() const {
  return to(one_hot(categorical_.mode(), categorical_.num_events()), logits().dtype());
}
Tensor OneHotCategorical::variance() const {
  const Tensor p = probs();
  return p * (1.0 - p);
}
Tensor OneHotCategorical::enumerate_support(bool expanded) const {
  const int64_t n = categorical_.num_events();
  Shape sizes = {n};
  for (size_t i = 0; i < batch_shape_.size(); ++i) sizes.push_back(1);
  const Tensor values = eye(n, logits().dtype()).view(joined(sizes, {n}));
  return expanded ? expand(values, joined({n}, extended_shape())) : values;
}

}  // namespace oneagent::distributions
