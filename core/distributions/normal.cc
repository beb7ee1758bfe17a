#include "core/distributions/normal.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {
constexpr double kHalfLogTwoPi = 0.91893853320467274178;  // log(2 pi) / 2
}

Normal::Normal(const Param& loc, const Param& scale)
    : Normal(loc.tensor(common_dtype({&loc, &scale})), scale.tensor(common_dtype({&loc, &scale})),
             0) {}

Normal::Normal(const Tensor& loc, const Tensor& scale, int)
    : Distribution(broadcast_shapes("normal", loc.sizes(), scale.sizes()), {}),
      loc_(loc),
      scale_(scale) {
  check("loc", loc, Constraint::kReal);
  check("scale", scale, Constraint::kPositive);
}

Tensor Normal::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return loc_ + scale_ * standard_normal(extended_shape(sample_shape), loc_.dtype(), generator);
}

Tensor Normal::log_density(const Tensor& value) const {
  const Tensor z = (value - loc_) / scale_;
  return square(z) * -0.5 - (log(scale_) + kHalfLogTwoPi);
}

Tensor Normal::cdf(const Tensor& value) const {
  return (erf((value - loc_) / scale_ * M_SQRT1_2) + 1.0) * 0.5;
}
Tensor Normal::icdf(const Tensor& probability) const {
  return loc_ + scale_ * erfinv(probability * 2.0 - 1.0) * M_SQRT2;
}
Tensor Normal::mean() const { return loc(); }
Tensor Normal::variance() const { return batch(square(scale_)); }
Tensor Normal::entropy() const { return batch(log(scale_) + (0.5 + kHalfLogTwoPi)); }

}  // namespace oneagent::distributions
