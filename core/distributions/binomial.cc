#include "core/distributions/binomial.h"

#include "core/distributions/categorical.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {

Binomial::Binomial(const Param& total_count, const Tensor& probs, const Tensor& logits)
    : Distribution({}, {}), probs_(probs) {
  const Tensor& given = one_given("binomial", probs, logits);
  total_count_ = total_count.tensor(given.dtype());
  batch_shape_ = broadcast_shapes("binomial", total_count_.sizes(), given.sizes());
  check("total_count", total_count_, Constraint::kWhole);
  if (probs.defined()) check("probs", probs, Constraint::kUnitInterval);
  if (logits.defined()) check("logits", logits, Constraint::kReal);
  logits_ = logits.defined() ? logits : binary_logits_of(probs);
}

Tensor Binomial::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return binomial(expand(total_count_, extended_shape(sample_shape)), probs(), generator);
}

Tensor Binomial::log_density(const Tensor& value) const {
  const Tensor k = to(value, logits_.dtype());
  if (validates())
    require("binomial", "total_count - value", (total_count_ - k).detach(),
            Constraint::kNotNegative);
  const Tensor ways = lgamma(total_count_ + 1.0) - lgamma(k + 1.0) - lgamma(total_count_ - k + 1.0);
  return ways + k * logits_ - total_count_ * softplus(logits_);
}

int64_t Binomial::single_count(const char* what) const {
  const double low = min(total_count_).item<double>(), high = max(total_count_).item<double>();
  OA_REQUIRE(low == high, "binomial: ", what, " needs one total_count for all, they are ", low,
             " to ", high);
  return static_cast<int64_t>(high);
}

Tensor Binomial::mean() const { return total_count_ * probs(); }
Tensor Binomial::mode() const {
  return minimum(floor((total_count_ + 1.0) * probs()), total_count());
}
Tensor Binomial::variance() const {
  const Tensor p = probs();
  return total_count_ * p * (1.0 - p);
}
Tensor Binomial::entropy() const {
  single_count("entropy");
  const Tensor log_probs = log_density(enumerate_support());
  return neg(sum(exp(log_probs) * log_probs, {0}));
}
Tensor Binomial::enumerate_support(bool expand) const {
  return enumerate(single_count("enumerate_support") + 1, logits_.dtype(), expand);
}

}  // namespace oneagent::distributions
