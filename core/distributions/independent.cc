#include "core/distributions/independent.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

Independent::Independent(DistributionPtr base, int64_t reinterpreted_batch_ndims)
    : Distribution({}, {}), base_(std::move(base)), count_(reinterpreted_batch_ndims) {
  OA_REQUIRE(base_ != nullptr, "independent: has no distribution");
  const Shape& batch = base_->batch_shape();
  OA_REQUIRE(count_ >= 0 && count_ <= static_cast<int64_t>(batch.size()),
             "independent: reinterpreted_batch_ndims must be 0 .. ", batch.size(), ", was ",
             count_);
  const size_t kept = batch.size() - static_cast<size_t>(count_);
  batch_shape_ = batch.slice(0, kept);
  event_shape_ = joined(batch.slice(kept), base_->event_shape());
}

Tensor Independent::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return has_rsample() ? base_->rsample(sample_shape, generator)
                       : base_->sample(sample_shape, generator);
}

Tensor Independent::log_density(const Tensor& value) const {
  return sum_rightmost(base_->log_prob(value), count_);
}

}  // namespace oneagent::distributions
