#include "core/distributions/dirichlet.h"

#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {

Shape without_last(const char* name, const Tensor& x) {
  OA_REQUIRE(x.defined() && x.dim() >= 1, name, ": needs a tensor of at least one dimension");
  return x.sizes().slice(0, x.sizes().size() - 1);
}

}  // namespace

Dirichlet::Dirichlet(const Tensor& concentration)
    : Distribution(without_last("dirichlet", concentration), {concentration.size(-1)}),
      concentration_(concentration) {
  check("concentration", concentration, Constraint::kPositive);
}

Tensor Dirichlet::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  return _sample_dirichlet(expand(concentration_, extended_shape(sample_shape)), generator);
}

Tensor Dirichlet::log_density(const Tensor& value) const {
  return sum(xlogy(concentration_ - 1.0, value), {-1}) + lgamma(sum(concentration_, {-1})) -
         sum(lgamma(concentration_), {-1});
}

Tensor Dirichlet::mean() const { return concentration_ / sum(concentration_, {-1}, true); }
Tensor Dirichlet::mode() const {
  const Tensor excess = clamp(concentration_ - 1.0, 0.0);
  const Tensor corner = one_hot(argmax(concentration_, -1), concentration_.size(-1));
  const Tensor none = all(lt(concentration_, 1.0), -1, true);
  return where(none, to(corner, concentration_.dtype()), excess / sum(excess, {-1}, true));
}
Tensor Dirichlet::variance() const {
  const Tensor total = sum(concentration_, {-1}, true);
  return concentration_ * (total - concentration_) / (square(total) * (total + 1.0));
}
Tensor Dirichlet::entropy() const {
  const auto n = static_cast<double>(concentration_.size(-1));
  const Tensor total = sum(concentration_, {-1});
  return sum(lgamma(concentration_), {-1}) - lgamma(total) + (total - n) * digamma(total) -
         sum((concentration_ - 1.0) * digamma(concentration_), {-1});
}

}  // namespace oneagent::distributions
