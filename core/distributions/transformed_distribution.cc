#include "core/distributions/transformed_distribution.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

TransformedDistribution::TransformedDistribution(DistributionPtr base,
                                                 std::vector<TransformPtr> transforms)
    : Distribution({}, {}), base_(std::move(base)), transforms_(std::move(transforms)) {
  OA_REQUIRE(base_ != nullptr, "transformed_distribution: has no base");
  batch_shape_ = base_->batch_shape();
  event_shape_ = base_->event_shape();
}

Tensor TransformedDistribution::forward(Tensor x) const {
  for (const TransformPtr& transform : transforms_) x = transform->forward(x);
  return x;
}

Tensor TransformedDistribution::inverse(Tensor y) const {
  for (size_t i = transforms_.size(); i-- > 0;) y = transforms_[i]->inverse(y);
  return y;
}

Tensor TransformedDistribution::draw_base(const Shape& sample_shape,
                                          const MaybeGenerator& generator) const {
  return base_->has_rsample() ? base_->rsample(sample_shape, generator)
                              : base_->sample(sample_shape, generator);
}

Tensor TransformedDistribution::draw(const Shape& sample_shape,
                                     const MaybeGenerator& generator) const {
  return forward(draw_base(sample_shape, generator));
}

std::tuple<Tensor, Tensor> TransformedDistribution::rsample_with_log_prob(
    const Shape& sample_shape, const MaybeGenerator& generator) const {
  Tensor x = draw_base(sample_shape, generator);
  const auto events = static_cast<int64_t>(event_shape_.size());
  Tensor log_prob = base_->log_prob(x);
  for (const TransformPtr& transform : transforms_) {
    Tensor y = transform->forward(x);
    log_prob = log_prob - sum_rightmost(transform->log_abs_det_jacobian(x, y), events);
    x = std::move(y);
  }
  return {x, log_prob};
}

Tensor TransformedDistribution::log_density(const Tensor& value) const {
  const auto events = static_cast<int64_t>(event_shape_.size());
  Tensor y = value, jacobian;
  for (size_t i = transforms_.size(); i-- > 0;) {
    const Tensor x = transforms_[i]->inverse(y);
    const Tensor part = sum_rightmost(transforms_[i]->log_abs_det_jacobian(x, y), events);
    jacobian = jacobian.defined() ? jacobian + part : part;
    y = x;
  }
  const Tensor log_prob = base_->log_prob(y);
  return jacobian.defined() ? log_prob - jacobian : log_prob;
}

int TransformedDistribution::sign() const {
  int out = 1;
  for (const TransformPtr& transform : transforms_) out *= transform->sign();
  OA_REQUIRE(out != 0, name(), ": cdf and icdf need transforms that rise, or fall, everywhere");
  return out;
}
Tensor TransformedDistribution::turned(const Tensor& probability) const {
  return sign() > 0 ? probability : 1.0 - probability;
}
Tensor TransformedDistribution::cdf(const Tensor& value) const {
  return turned(base_->cdf(inverse(value)));
}
Tensor TransformedDistribution::icdf(const Tensor& probability) const {
  return forward(base_->icdf(turned(probability)));
}
Constraint TransformedDistribution::support() const {
  return transforms_.empty() ? base_->support() : transforms_.back()->codomain();
}

LogNormal::LogNormal(const Param& loc, const Param& scale)
    : TransformedDistribution(Normal(loc, scale), {std::make_shared<ExpTransform>()}) {}
Tensor LogNormal::mean() const { return exp(loc() + square(scale()) * 0.5); }
Tensor LogNormal::mode() const { return exp(loc() - square(scale())); }
Tensor LogNormal::variance() const {
  const Tensor variance = square(scale());
  return expm1(variance) * exp(loc() * 2.0 + variance);
}
Tensor LogNormal::entropy() const { return normal().entropy() + loc(); }

TanhNormal::TanhNormal(const Param& loc, const Param& scale)
    : TransformedDistribution(Normal(loc, scale), {std::make_shared<TanhTransform>()}) {}
Tensor TanhNormal::mode() const { return tanh(normal().loc()); }

}  // namespace oneagent::distributions
