#include "core/distributions/multivariate_normal.h"

#include <cmath>

#include "core/ops/op_matrix.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {

Tensor log_diagonal(const Tensor& factor) { return sum(log(matrix::diagonal(factor)), {-1}); }

}  // namespace

MultivariateNormal::MultivariateNormal(const Tensor& loc, const Tensor& covariance_matrix,
                                       const Tensor& precision_matrix, const Tensor& scale_tril)
    : Distribution({}, {}), loc_(loc) {
  const int given = covariance_matrix.defined() + precision_matrix.defined() + scale_tril.defined();
  OA_REQUIRE(given == 1, name(),
             ": needs exactly one of covariance_matrix, precision_matrix and "
             "scale_tril, was given ",
             given);
  const Tensor& matrix = covariance_matrix.defined()  ? covariance_matrix
                         : precision_matrix.defined() ? precision_matrix
                                                      : scale_tril;
  OA_REQUIRE(loc.dim() >= 1 && matrix.dim() >= 2 && matrix.size(-1) == loc.size(-1) &&
                 matrix.size(-2) == loc.size(-1),
             name(), ": needs loc [..., d] and a matrix [..., d, d], was ", loc.sizes(), " and ",
             matrix.sizes());
  check("loc", loc, Constraint::kReal);
  if (scale_tril.defined()) {
    check("scale_tril", scale_tril, Constraint::kLowerCholesky);
    scale_tril_ = scale_tril;
  } else {
    scale_tril_ = covariance_matrix.defined() ? linalg_cholesky(covariance_matrix)
                                              : linalg_cholesky(linalg_inv(precision_matrix));
  }
  event_shape_ = {loc.size(-1)};
  batch_shape_ = broadcast_shapes(name(), loc.sizes().slice(0, loc.sizes().size() - 1),
                                  matrix.sizes().slice(0, matrix.sizes().size() - 2));
}

Tensor MultivariateNormal::loc() const { return expand(loc_, extended_shape()); }
Tensor MultivariateNormal::scale_tril() const {
  return expand(scale_tril_, joined(extended_shape(), event_shape_));
}
Tensor MultivariateNormal::covariance_matrix() const {
  const Tensor factor = scale_tril();
  return matmul(factor, transpose(factor, -2, -1));
}
Tensor MultivariateNormal::precision_matrix() const { return linalg_inv(covariance_matrix()); }

Tensor MultivariateNormal::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor z = standard_normal(extended_shape(sample_shape), loc_.dtype(), generator);
  return loc_ + squeeze(matmul(scale_tril_, unsqueeze(z, -1)), -1);
}

Tensor MultivariateNormal::half_log_det() const { return log_diagonal(scale_tril_); }

Tensor MultivariateNormal::log_density(const Tensor& value) const {
  const Tensor difference = value - loc_;
  const Tensor z =
      squeeze(linalg_solve_triangular(scale_tril_, unsqueeze(difference, -1), false), -1);
  const double constant = 0.5 * std::log(2 * M_PI) * static_cast<double>(event_shape_[0]);
  return sum(square(z), {-1}) * -0.5 - half_log_det() - constant;
}

Tensor MultivariateNormal::variance() const {
  return expand(sum(square(scale_tril_), {-1}), extended_shape());
}
Tensor MultivariateNormal::entropy() const {
  const double constant = 0.5 * (1 + std::log(2 * M_PI)) * static_cast<double>(event_shape_[0]);
  return batch(half_log_det() + constant);
}

}  // namespace oneagent::distributions
