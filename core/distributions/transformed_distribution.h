// Values of a base distribution after elementwise transforms, in their order. LogNormal: exp of a
// normal sample. TanhNormal: tanh of one, for bounded actions (Haarnoja 2018).
#pragma once

#include <tuple>
#include <vector>

#include "core/distributions/normal.h"
#include "core/distributions/transform.h"

namespace oneagent::distributions {

class TransformedDistribution : public Distribution {
 public:
  TransformedDistribution(DistributionPtr base, std::vector<TransformPtr> transforms);
  template <class D, class = IfDistribution<D>>
  TransformedDistribution(D base, std::vector<TransformPtr> transforms)
      : TransformedDistribution(std::make_shared<const D>(std::move(base)), std::move(transforms)) {
  }
  const char* name() const override { return "transformed_distribution"; }
  const Distribution& base() const { return *base_; }
  const std::vector<TransformPtr>& transforms() const { return transforms_; }

  // A sample with its log_prob, computed from the base's sample: no inverse is taken, so that
  // values at the very edge lose nothing. With gradient where the base has rsample().
  std::tuple<Tensor, Tensor> rsample_with_log_prob(const Shape& sample_shape = {},
                                                   const MaybeGenerator& generator = {}) const;

  bool has_rsample() const override { return base_->has_rsample(); }
  Tensor cdf(const Tensor& value) const override;
  Tensor icdf(const Tensor& probability) const override;
  Constraint support() const override;

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  Tensor forward(Tensor x) const;
  Tensor inverse(Tensor y) const;
  Tensor draw_base(const Shape& sample_shape, const MaybeGenerator& generator) const;
  int sign() const;
  // The probability that a rising transform in place of this one would give, and back.
  Tensor turned(const Tensor& probability) const;
  DistributionPtr base_;
  std::vector<TransformPtr> transforms_;
};

class LogNormal final : public TransformedDistribution {
 public:
  LogNormal(const Param& loc, const Param& scale);
  const char* name() const override { return "log_normal"; }
  const Normal& normal() const { return static_cast<const Normal&>(base()); }
  Tensor loc() const { return normal().loc(); }
  Tensor scale() const { return normal().scale(); }
  Tensor mean() const override;
  Tensor mode() const override;
  Tensor variance() const override;
  Tensor entropy() const override;
};

class TanhNormal final : public TransformedDistribution {
 public:
  TanhNormal(const Param& loc, const Param& scale);
  const char* name() const override { return "tanh_normal"; }
  const Normal& normal() const { return static_cast<const Normal&>(base()); }
  Tensor mode() const override;  // tanh(loc): of the density before the transform
};

}  // namespace oneagent::distributions
