// Invertible elementwise functions and the logarithm of the size of their derivative.
#pragma once

#include "core/distributions/distribution.h"

namespace oneagent::distributions {

class Transform {
 public:
  virtual ~Transform() = default;
  virtual Tensor forward(const Tensor& x) const = 0;
  virtual Tensor inverse(const Tensor& y) const = 0;
  virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const = 0;
  virtual int sign() const { return 1; }  // -1: falling; 0: it depends on the element
  virtual Constraint codomain() const { return Constraint::kReal; }
  virtual bool equals(const Transform& other) const = 0;
};

using TransformPtr = std::shared_ptr<const Transform>;

class ExpTransform final : public Transform {
 public:
  Tensor forward(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor&) const override { return x; }
  Constraint codomain() const override { return Constraint::kPositive; }
  bool equals(const Transform& other) const override;
};

// tanh. The inverse is taken of values kept inside (-1, 1) by the type's precision, and the
// derivative from x, so that log_prob stays finite at the edges.
class TanhTransform final : public Transform {
 public:
  Tensor forward(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint codomain() const override { return Constraint::kWithinOne; }
  bool equals(const Transform& other) const override;
};

// 1 / (1 + exp(-x)); as careful at its edges.
class SigmoidTransform final : public Transform {
 public:
  Tensor forward(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  Constraint codomain() const override { return Constraint::kUnitInterval; }
  bool equals(const Transform& other) const override;
};

// loc + scale x.
class AffineTransform final : public Transform {
 public:
  AffineTransform(const Param& loc, const Param& scale);
  Tensor forward(const Tensor& x) const override;
  Tensor inverse(const Tensor& y) const override;
  Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
  int sign() const override;
  bool equals(const Transform& other) const override;

 private:
  Tensor loc_, scale_;
};

}  // namespace oneagent::distributions
