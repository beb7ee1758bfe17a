#include "core/distributions/laplace.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::distributions {

Laplace::Laplace(const Param& loc, const Param& scale)
    : Laplace(loc.tensor(common_dtype({&loc, &scale})), scale.tensor(common_dtype({&loc, &scale})),
              0) {}

Laplace::Laplace(const Tensor& loc, const Tensor& scale, int)
    : Distribution(broadcast_shapes("laplace", loc.sizes(), scale.sizes()), {}),
      loc_(loc),
      scale_(scale) {
  check("loc", loc, Constraint::kReal);
  check("scale", scale, Constraint::kPositive);
}

Tensor Laplace::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor u = open_uniform(extended_shape(sample_shape), loc_.dtype(), generator) - 0.5;
  return loc_ - scale_ * (sign(u) * log1p(abs(u) * -2.0));
}

Tensor Laplace::log_density(const Tensor& value) const {
  return neg(abs(value - loc_) / scale_) - log(scale_ * 2.0);
}

Tensor Laplace::cdf(const Tensor& value) const {
  const Tensor z = (value - loc_) / scale_;
  return 0.5 - sign(z) * expm1(neg(abs(z))) * 0.5;
}
Tensor Laplace::icdf(const Tensor& probability) const {
  const Tensor term = probability - 0.5;
  return loc_ - scale_ * (sign(term) * log1p(abs(term) * -2.0));
}
Tensor Laplace::mean() const { return loc(); }
Tensor Laplace::variance() const { return batch(square(scale_) * 2.0); }
Tensor Laplace::entropy() const { return batch(log(scale_ * 2.0) + 1.0); }

}  // namespace oneagent::distributions
