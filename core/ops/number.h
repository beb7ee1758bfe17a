// Elementwise ops of a tensor and a number. A floating number with an integer tensor gives the
// default floating type.
#pragma once

#include <limits>

#include "core/graph/op.h"

namespace oneagent {

Tensor add(const Tensor& a, Scalar b);
Tensor add(Scalar a, const Tensor& b);
Tensor sub(const Tensor& a, Scalar b);
Tensor sub(Scalar a, const Tensor& b);
Tensor mul(const Tensor& a, Scalar b);
Tensor mul(Scalar a, const Tensor& b);
Tensor div(const Tensor& a, Scalar b);
Tensor div(Scalar a, const Tensor& b);
Tensor pow(const Tensor& base, Scalar exponent);
Tensor clamp(const Tensor& x, std::optional<Scalar> min = std::nullopt,
             std::optional<Scalar> max = std::nullopt);  // gradient 1 on the limits
Tensor elu_backward(const Tensor& gradient, const Tensor& y, Scalar alpha);

const Tensor& add_(const Tensor& self, Scalar other);
const Tensor& sub_(const Tensor& self, Scalar other);
const Tensor& mul_(const Tensor& self, Scalar other);
const Tensor& div_(const Tensor& self, Scalar other);
const Tensor& clamp_(const Tensor& self, std::optional<Scalar> min,
                     std::optional<Scalar> max = std::nullopt);

}  // namespace oneagent
