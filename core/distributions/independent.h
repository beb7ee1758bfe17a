// The last `reinterpreted_batch_ndims` batch dimensions of a distribution as event dimensions:
// log_prob and entropy are summed over them.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Independent final : public Distribution {
 public:
  Independent(DistributionPtr base, int64_t reinterpreted_batch_ndims);
  template <class D, class = IfDistribution<D>>
  Independent(D base, int64_t reinterpreted_batch_ndims)
      : Independent(std::make_shared<const D>(std::move(base)), reinterpreted_batch_ndims) {}
  const char* name() const override { return "independent"; }
  const Distribution& base() const { return *base_; }
  int64_t reinterpreted_batch_ndims() const { return count_; }

  bool has_rsample() const override { return base_->has_rsample(); }
  Tensor mean() const override { return base_->mean(); }
  Tensor mode() const override { return base_->mode(); }
  Tensor variance() const override { return base_->variance(); }
  Tensor entropy() const override { return sum_rightmost(base_->entropy(), count_); }
  Constraint support() const override { return base_->support(); }

 protected:
  Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const override;
  Tensor log_density(const Tensor& value) const override;

 private:
  DistributionPtr base_;
  int64_t count_;
};

}  // namespace oneagent::distributions
