#include "core/distributions/cauchy.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::distributions {

Cauchy::Cauchy(const Param& loc, const Param& scale)
    : Cauchy(loc.tensor(common_dtype({&loc, &scale})), scale.tensor(common_dtype({&loc, &scale})),
             0) {}

Cauchy::Cauchy(const Tensor& loc, const Tensor& scale, int)
    : Distribution(broadcast_shapes("cauchy", loc.sizes(), scale.sizes()), {}),
      loc_(loc),
      scale_(scale) {
  check("loc", loc, Constraint::kReal);
  check("scale", scale, Constraint::kPositive);
}

Tensor Cauchy::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor u = open_uniform(extended_shape(sample_shape), loc_.dtype(), generator);
  const Tensor angle = (u - 0.5) * M_PI;
  return loc_ + scale_ * (sin(angle) / cos(angle));
}

Tensor Cauchy::log_density(const Tensor& value) const {
  return neg(log1p(square((value - loc_) / scale_))) - (log(scale_) + std::log(M_PI));
}

Tensor Cauchy::cdf(const Tensor& value) const {
  return atan((value - loc_) / scale_) * M_1_PI + 0.5;
}
Tensor Cauchy::icdf(const Tensor& probability) const {
  return loc_ + scale_ * tan((probability - 0.5) * M_PI);
}
Tensor Cauchy::mean() const { return batch_full(NAN, loc_.dtype()); }
Tensor Cauchy::variance() const { return batch_full(INFINITY, loc_.dtype()); }
Tensor Cauchy::entropy() const { return batch(log(scale_) + std::log(4 * M_PI)); }

}  // namespace oneagent::distributions
