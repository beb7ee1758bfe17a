// A mixture: the last batch dimension of the components, [..., k], is chosen by a categorical
// distribution over k.
#pragma once

#include "core/distributions/categorical.h"

namespace oneagent::distributions {

class MixtureSameFamily final : public Distribution {
 public:
  MixtureSameFamily(Categorical mixture, DistributionPtr components);
  template <class D, class = IfDistribution<D>>
  MixtureSameFamily(Categorical mixture, D components)
      : MixtureSameFamily(std::move(mixture), std::make_shared<const D>(std::move(components))) {}
  const char* name() const override { return "mixture_same_family"; }
  const Categorical& mixture() const { return mixture_; }
  const Distribution& components() const { return *components_; }

  Tensor cdf(const Tensor& value) const override;
  Tensor mean() const override;
  Tensor variance() const override;
  Constraint support() const override { return components_->support(); }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  int64_t component_dim() const { return -1 - static_cast<int64_t>(event_shape_.size()); }
  Tensor weights() const;                  // with 1 for each event dimension
  Tensor weighted(const Tensor& x) const;  // summed over the components
  Categorical mixture_;
  DistributionPtr components_;
};

}  // namespace oneagent::distributions
