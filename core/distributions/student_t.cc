#include "core/distributions/student_t.h"

#include <cmath>
#include <limits>

#include "core/ops/ops.h"

namespace oneagent::distributions {

StudentT::StudentT(const Param& df, const Param& loc, const Param& scale)
    : StudentT(df.tensor(common_dtype({&df, &loc, &scale})),
               loc.tensor(common_dtype({&df, &loc, &scale})),
               scale.tensor(common_dtype({&df, &loc, &scale})), 0) {}

StudentT::StudentT(const Tensor& df, const Tensor& loc, const Tensor& scale, int)
    : Distribution(
          broadcast_shapes("student_t", broadcast_shapes("student_t", df.sizes(), loc.sizes()),
                           scale.sizes()),
          {}),
      df_(df),
      loc_(loc),
      scale_(scale) {
  check("df", df, Constraint::kPositive);
  check("loc", loc, Constraint::kReal);
  check("scale", scale, Constraint::kPositive);
}

// A normal sample over the root of a chi-squared one by df.
Tensor StudentT::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Shape sizes = extended_shape(sample_shape);
  const Tensor x = standard_normal(sizes, df_.dtype(), generator);
  const Tensor half = _standard_gamma(expand(df_ * 0.5, sizes), generator);
  return loc_ + scale_ * x * rsqrt(half / (df_ * 0.5));
}

Tensor StudentT::log_density(const Tensor& value) const {
  const Tensor y = (value - loc_) / scale_;
  const Tensor normaliser = log(scale_) + log(df_) * 0.5 + 0.5 * std::log(M_PI) +
                            lgamma(df_ * 0.5) - lgamma((df_ + 1.0) * 0.5);
  return (df_ + 1.0) * log1p(square(y) / df_) * -0.5 - normaliser;
}

Tensor StudentT::mean() const {
  return where(gt(df(), 1.0), loc(), std::numeric_limits<double>::quiet_NaN());
}
Tensor StudentT::variance() const {
  const Tensor df = this->df();
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor finite = where(gt(df, 2.0), square(scale_) * df / (df - 2.0), infinity);
  return where(gt(df, 1.0), finite, std::numeric_limits<double>::quiet_NaN());
}
Tensor StudentT::entropy() const {
  const Tensor half = df_ * 0.5, next = (df_ + 1.0) * 0.5;
  const Tensor log_beta = lgamma(half) - lgamma(next) + 0.5 * std::log(M_PI);
  return batch(log(scale_) + next * (digamma(next) - digamma(half)) + log(df_) * 0.5 + log_beta);
}

}  // namespace oneagent::distributions
