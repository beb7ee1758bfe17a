// Elementwise ops of two tensors, with broadcasting and type promotion. div is a true division, in
// floating point, unless a rounding mode is given (core/ops/divide.h). Forms with a number are in
// core/ops/number.h.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// self + alpha other. alpha must not be floating for integers.
Tensor add(const Tensor& self, const Tensor& other, Scalar alpha = 1);
Tensor sub(const Tensor& self, const Tensor& other, Scalar alpha = 1);  // not of two bools
Tensor subtract(const Tensor& self, const Tensor& other, Scalar alpha = 1);
Tensor rsub(const Tensor& self, const Tensor& other, Scalar alpha = 1);  // other - alpha self
Tensor mul(const Tensor& self, const Tensor& other);
Tensor multiply(const Tensor& self, const Tensor& other);
Tensor div(const Tensor& self, const Tensor& other);
Tensor divide(const Tensor& self, const Tensor& other);
Tensor true_divide(const Tensor& self, const Tensor& other);
Tensor pow(const Tensor& self, const Tensor& exponent);
Tensor float_power(const Tensor& self, const Tensor& exponent);  // in float64
Tensor minimum(const Tensor& self, const Tensor& other);  // NaN wins; a tie's gradient is halved
Tensor maximum(const Tensor& self, const Tensor& other);
Tensor fmin(const Tensor& self,
            const Tensor& other);  // NaN loses; the first takes a tie's gradient
Tensor fmax(const Tensor& self, const Tensor& other);
Tensor atan2(const Tensor& self, const Tensor& other);
Tensor arctan2(const Tensor& self, const Tensor& other);
Tensor hypot(const Tensor& self, const Tensor& other);
Tensor copysign(const Tensor& self, const Tensor& other);
Tensor nextafter(const Tensor& self, const Tensor& other);   // floating types only
Tensor heaviside(const Tensor& self, const Tensor& values);  // both of one type
Tensor ldexp(const Tensor& self, const Tensor& other);       // self 2^other

const Tensor& add_(const Tensor& self, const Tensor& other, Scalar alpha = 1);
const Tensor& sub_(const Tensor& self, const Tensor& other, Scalar alpha = 1);
const Tensor& subtract_(const Tensor& self, const Tensor& other, Scalar alpha = 1);
const Tensor& mul_(const Tensor& self, const Tensor& other);
const Tensor& multiply_(const Tensor& self, const Tensor& other);
const Tensor& div_(const Tensor& self, const Tensor& other);
const Tensor& divide_(const Tensor& self, const Tensor& other);
const Tensor& true_divide_(const Tensor& self, const Tensor& other);
const Tensor& pow_(const Tensor& self, const Tensor& exponent);
const Tensor& float_power_(const Tensor& self, const Tensor& exponent);  // self must be float64
const Tensor& atan2_(const Tensor& self, const Tensor& other);
const Tensor& arctan2_(const Tensor& self, const Tensor& other);
const Tensor& hypot_(const Tensor& self, const Tensor& other);
const Tensor& copysign_(const Tensor& self, const Tensor& other);
const Tensor& nextafter_(const Tensor& self, const Tensor& other);
const Tensor& heaviside_(const Tensor& self, const Tensor& values);
const Tensor& ldexp_(const Tensor& self, const Tensor& other);

// Gradients of activations, as ops of their own: from the gradient of the result and the result (y)
// or the operand (x).
Tensor tanh_backward(const Tensor& gradient, const Tensor& y);
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& y);
Tensor relu_backward(const Tensor& gradient, const Tensor& y);
Tensor gelu_backward(const Tensor& gradient, const Tensor& x);
Tensor softplus_backward(const Tensor& gradient, const Tensor& x);

}  // namespace oneagent
