#include "core/distributions/geometric.h"

#include "core/distributions/categorical.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {

Geometric::Geometric(const Tensor& probs, const Tensor& logits)
    : Distribution(one_given("geometric", probs, logits).sizes(), {}), probs_(probs) {
  if (probs.defined()) {
    check("probs", probs, Constraint::kUnitInterval);
    check("probs", probs, Constraint::kPositive);
  } else {
    check("logits", logits, Constraint::kReal);
  }
  logits_ = logits.defined() ? logits : binary_logits_of(probs);
}

Tensor Geometric::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor u = open_uniform(extended_shape(sample_shape), logits_.dtype(), generator);
  return floor(log(u) / log1p(neg(probs())));
}

Tensor Geometric::log_density(const Tensor& value) const {
  const Tensor count = to(value, logits_.dtype());
  if (!probs_.defined()) return neg(count * softplus(logits_) + softplus(neg(logits_)));
  // log(1 - p) is not needed, nor finite, where p is 1 and the first trial succeeds.
  const Tensor certain = logical_and(eq(probs_, 1.0), eq(count, 0.0));
  return count * log1p(neg(where(certain, 0.0, probs_))) + log(probs_);
}

Tensor Geometric::mean() const { return reciprocal(probs()) - 1.0; }
Tensor Geometric::mode() const { return zeros_like(probs()); }
Tensor Geometric::variance() const {
  const Tensor odds = reciprocal(probs());
  return (odds - 1.0) * odds;
}
Tensor Geometric::entropy() const {
  const Tensor p = probs();
  return (softplus(logits_) - p * logits_) / p;
}

}  // namespace oneagent::distributions
