// Exponential, logarithmic, trigonometric and hyperbolic functions of one tensor. Integers become
// the default floating type; in place they are refused.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor exp(const Tensor& self);
Tensor exp2(const Tensor& self);
Tensor expm1(const Tensor& self);
Tensor log(const Tensor& self);
Tensor log2(const Tensor& self);
Tensor log10(const Tensor& self);
Tensor log1p(const Tensor& self);
Tensor sigmoid(const Tensor& self);  // 1 / (1 + exp(-x))
Tensor tanh(const Tensor& self);
Tensor sinh(const Tensor& self);
Tensor cosh(const Tensor& self);
Tensor asinh(const Tensor& self);
Tensor acosh(const Tensor& self);
Tensor atanh(const Tensor& self);
Tensor sin(const Tensor& self);
Tensor cos(const Tensor& self);
Tensor tan(const Tensor& self);
Tensor asin(const Tensor& self);
Tensor acos(const Tensor& self);
Tensor atan(const Tensor& self);
Tensor sinc(const Tensor& self);  // sin(pi x) / (pi x)

Tensor arccos(const Tensor& self);
Tensor arcsin(const Tensor& self);
Tensor arctan(const Tensor& self);
Tensor arccosh(const Tensor& self);
Tensor arcsinh(const Tensor& self);
Tensor arctanh(const Tensor& self);
Tensor special_exp2(const Tensor& self);
Tensor special_expm1(const Tensor& self);
Tensor special_log1p(const Tensor& self);
Tensor special_expit(const Tensor& self);
Tensor special_sinc(const Tensor& self);

const Tensor& exp_(const Tensor& self);
const Tensor& exp2_(const Tensor& self);
const Tensor& expm1_(const Tensor& self);
const Tensor& log_(const Tensor& self);
const Tensor& log2_(const Tensor& self);
const Tensor& log10_(const Tensor& self);
const Tensor& log1p_(const Tensor& self);
const Tensor& sigmoid_(const Tensor& self);
const Tensor& tanh_(const Tensor& self);
const Tensor& sinh_(const Tensor& self);
const Tensor& cosh_(const Tensor& self);
const Tensor& asinh_(const Tensor& self);
const Tensor& acosh_(const Tensor& self);
const Tensor& atanh_(const Tensor& self);
const Tensor& sin_(const Tensor& self);
const Tensor& cos_(const Tensor& self);
const Tensor& tan_(const Tensor& self);
const Tensor& asin_(const Tensor& self);
const Tensor& acos_(const Tensor& self);
const Tensor& atan_(const Tensor& self);
const Tensor& sinc_(const Tensor& self);
const Tensor& arccos_(const Tensor& self);
const Tensor& arcsin_(const Tensor& self);
const Tensor& arctan_(const Tensor& self);
const Tensor& arccosh_(const Tensor& self);
const Tensor& arcsinh_(const Tensor& self);
const Tensor& arctanh_(const Tensor& self);

}  // namespace oneagent
