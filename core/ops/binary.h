// Elementwise ops of two tensors, with broadcasting and type promotion. div of integers is a true
// division, in floating point.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor add(const Tensor& a, const Tensor& b);
Tensor sub(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& base, const Tensor& exponent);
Tensor minimum(const Tensor& a, const Tensor& b);  // NaN wins; the gradient of a tie is halved
Tensor maximum(const Tensor& a, const Tensor& b);

// Gradients of activations, as ops of their own: from the gradient of the result and the result (y)
// or the operand (x).
Tensor tanh_backward(const Tensor& gradient, const Tensor& y);
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& y);
Tensor relu_backward(const Tensor& gradient, const Tensor& y);
Tensor gelu_backward(const Tensor& gradient, const Tensor& x);
Tensor softplus_backward(const Tensor& gradient, const Tensor& x);

const Tensor& add_(const Tensor& self, const Tensor& other);
const Tensor& sub_(const Tensor& self, const Tensor& other);
const Tensor& mul_(const Tensor& self, const Tensor& other);
const Tensor& div_(const Tensor& self, const Tensor& other);

}  // namespace oneagent
