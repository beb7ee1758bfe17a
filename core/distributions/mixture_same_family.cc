#include "core/distributions/mixture_same_family.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

MixtureSameFamily::MixtureSameFamily(Categorical mixture, DistributionPtr components)
    : Distribution({}, {}), mixture_(std::move(mixture)), components_(std::move(components)) {
  OA_REQUIRE(components_ != nullptr && !components_->batch_shape().empty(),
             "mixture_same_family: needs components with a batch dimension");
  const Shape& batch = components_->batch_shape();
  OA_REQUIRE(batch.back() == mixture_.num_events(), "mixture_same_family: ", batch.back(),
             " components, the mixture is over ", mixture_.num_events());
  const Shape rest = batch.slice(0, batch.size() - 1);
  OA_REQUIRE(mixture_.batch_shape().empty() || mixture_.batch_shape() == rest,
             "mixture_same_family: the mixture is of batch ", mixture_.batch_shape(),
             ", the components of ", rest);
  batch_shape_ = rest;
  event_shape_ = components_->event_shape();
}

Tensor MixtureSameFamily::weights() const {
  Tensor out = mixture_.probs();
  for (size_t i = 0; i < event_shape_.size(); ++i) out = unsqueeze(out, -1);
  return out;
}

Tensor MixtureSameFamily::weighted(const Tensor& x) const {
  return sum(weights() * x, {component_dim()});
}

Tensor MixtureSameFamily::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor all = components_->sample(sample_shape, generator);  // [sample, batch, k, event]
  const Shape& own = mixture_.batch_shape();
  Tensor chosen =
      mixture_.sample(own.empty() ? joined(sample_shape, batch_shape_) : sample_shape, generator);
  chosen = unsqueeze(chosen, -1);
  for (size_t i = 0; i < event_shape_.size(); ++i) chosen = unsqueeze(chosen, -1);
  Shape sizes = joined(joined(joined(sample_shape, batch_shape_), {1}), event_shape_);
  return squeeze(gather(all, component_dim(), expand(chosen, sizes)), component_dim());
}

Tensor MixtureSameFamily::log_density(const Tensor& value) const {
  const Tensor log_probs = components_->log_prob(unsqueeze(value, component_dim()));
  return logsumexp(log_probs + mixture_.logits(), -1);
}

Tensor MixtureSameFamily::cdf(const Tensor& value) const {
  return sum(components_->cdf(unsqueeze(value, component_dim())) * mixture_.probs(), {-1});
}

Tensor MixtureSameFamily::mean() const { return weighted(components_->mean()); }

// Var x = E Var(x | k) + Var E(x | k).
Tensor MixtureSameFamily::variance() const {
  const Tensor means = components_->mean();
  const Tensor spread = means - unsqueeze(weighted(means), component_dim());
  return weighted(components_->variance()) + weighted(square(spread));
}

}  // namespace oneagent::distributions
