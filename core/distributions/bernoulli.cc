#include "core/distributions/bernoulli.h"

#include <limits>

#include "core/distributions/categorical.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {

Bernoulli::Bernoulli(const Tensor& probs, const Tensor& logits)
    : Distribution(one_given("bernoulli", probs, logits).sizes(), {}), probs_(probs) {
  if (probs.defined()) check("probs", probs, Constraint::kUnitInterval);
  if (logits.defined()) check("logits", logits, Constraint::kReal);
  logits_ = logits.defined() ? logits : binary_logits_of(probs);
}

Tensor Bernoulli::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return bernoulli(expand(probs(), extended_shape(sample_shape)), generator);
}

Tensor Bernoulli::log_density(const Tensor& value) const {
  return to(value, logits_.dtype()) * logits_ - softplus(logits_);
}

Tensor Bernoulli::mode() const {
  const Tensor p = probs(), mode = to(ge(p, 0.5), p.dtype());
  return where(eq(p, 0.5), std::numeric_limits<double>::quiet_NaN(), mode);
}
Tensor Bernoulli::variance() const {
  const Tensor p = probs();
  return p * (1.0 - p);
}
Tensor Bernoulli::entropy() const { return softplus(logits_) - probs() * logits_; }
Tensor Bernoulli::enumerate_support(bool expand) const {
  return enumerate(2, logits_.dtype(), expand);
}

}  // namespace oneagent::distributions
