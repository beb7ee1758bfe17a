// Elementwise ops of a tensor and a number. A floating number with an integer tensor gives the
// default floating type; in place that is refused.
#pragma once

#include <limits>

#include "core/ops/api.h"
#include "core/ops/clamp.h"

namespace oneagent {

Tensor add(const Tensor& self, Scalar other, Scalar alpha = 1);
Tensor add(Scalar number, const Tensor& other);
Tensor sub(const Tensor& self, Scalar other, Scalar alpha = 1);
Tensor sub(Scalar number, const Tensor& other);
Tensor subtract(const Tensor& self, Scalar other, Scalar alpha = 1);
Tensor rsub(const Tensor& self, Scalar other, Scalar alpha = 1);  // other - alpha self
Tensor mul(const Tensor& self, Scalar other);
Tensor mul(Scalar number, const Tensor& other);
Tensor multiply(const Tensor& self, Scalar other);
Tensor div(const Tensor& self, Scalar other);
Tensor div(Scalar number, const Tensor& other);
Tensor divide(const Tensor& self, Scalar other);
Tensor true_divide(const Tensor& self, Scalar other);
Tensor pow(const Tensor& self, Scalar exponent);  // integers: not to negative integer powers
Tensor pow(Scalar number, const Tensor& exponent);
Tensor float_power(const Tensor& self, Scalar exponent);  // in float64
Tensor float_power(Scalar number, const Tensor& exponent);
Tensor copysign(const Tensor& self, Scalar other);
Tensor elu_backward(const Tensor& gradient, const Tensor& y, Scalar alpha);

const Tensor& add_(const Tensor& self, Scalar other, Scalar alpha = 1);
const Tensor& sub_(const Tensor& self, Scalar other, Scalar alpha = 1);
const Tensor& subtract_(const Tensor& self, Scalar other, Scalar alpha = 1);
const Tensor& mul_(const Tensor& self, Scalar other);
const Tensor& multiply_(const Tensor& self, Scalar other);
const Tensor& div_(const Tensor& self, Scalar other);
const Tensor& divide_(const Tensor& self, Scalar other);
const Tensor& true_divide_(const Tensor& self, Scalar other);
const Tensor& pow_(const Tensor& self, Scalar exponent);
const Tensor& float_power_(const Tensor& self, Scalar exponent);  // self must be float64
const Tensor& copysign_(const Tensor& self, Scalar other);

}  // namespace oneagent
