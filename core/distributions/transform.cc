#include "core/distributions/transform.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {

double precision_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case DType::kFloat64:
      return 0x1p-52;
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBFloat16:
      return 0x1p-7;
    default:
      return 0x1p-23;
  }
}

template <class T>
bool same_type(const Transform& other) {
  return dynamic_cast<const T*>(&other) != nullptr;
}

}  // namespace

Tensor ExpTransform::forward(const Tensor& x) const { return exp(x); }
Tensor ExpTransform::inverse(const Tensor& y) const { return log(y); }
bool ExpTransform::equals(const Transform& other) const { return same_type<ExpTransform>(other); }

Tensor TanhTransform::forward(const Tensor& x) const { return tanh(x); }
Tensor TanhTransform::inverse(const Tensor& y) const {
  const double edge = 1 - precision_of(y);
  const Tensor inside = clamp(y, -edge, edge);
  return (log1p(inside) - log1p(neg(inside))) * 0.5;
}
// log(1 - tanh(x)^2) = 2 (log 2 - x - log(1 + exp(-2 x))), without cancellation.
Tensor TanhTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return (std::log(2.0) - x - softplus(x * -2.0)) * 2.0;
}
bool TanhTransform::equals(const Transform& other) const { return same_type<TanhTransform>(other); }

Tensor SigmoidTransform::forward(const Tensor& x) const { return sigmoid(x); }
Tensor SigmoidTransform::inverse(const Tensor& y) const {
  const double edge = precision_of(y);
  const Tensor inside = clamp(y, edge, 1 - edge);
  return log(inside) - log1p(neg(inside));
}
Tensor SigmoidTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return neg(softplus(neg(x)) + softplus(x));
}
bool SigmoidTransform::equals(const Transform& other) const {
  return same_type<SigmoidTransform>(other);
}

// Numbers are kept in float64: 0-d tensors leave the type of x alone.
AffineTransform::AffineTransform(const Param& loc, const Param& scale)
    : loc_(loc.given() ? *loc.given() : loc.tensor(DType::kFloat64)),
      scale_(scale.given() ? *scale.given() : scale.tensor(DType::kFloat64)) {}
Tensor AffineTransform::forward(const Tensor& x) const { return loc_ + scale_ * x; }
Tensor AffineTransform::inverse(const Tensor& y) const { return (y - loc_) / scale_; }
Tensor AffineTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
  return expand(to(log(abs(scale_)), x.dtype()),
                broadcast_shapes("affine", x.sizes(), scale_.sizes()));
}
int AffineTransform::sign() const {
  if (all(gt(scale_, 0.0)).item<bool>()) return 1;
  return all(lt(scale_, 0.0)).item<bool>() ? -1 : 0;
}
bool AffineTransform::equals(const Transform& other) const {
  const auto* affine = dynamic_cast<const AffineTransform*>(&other);
  return affine != nullptr && equal(affine->loc_, loc_) && equal(affine->scale_, scale_);
}

}  // namespace oneagent::distributions
