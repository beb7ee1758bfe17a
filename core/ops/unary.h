// Elementwise functions of one tensor. Those with a floating result convert integer operands to the
// default floating type; in place they refuse integers.
#pragma once

#include "core/ops/api.h"
#include "core/ops/error_function.h"
#include "core/ops/transcendental.h"

namespace oneagent {

Tensor neg(const Tensor& self);  // not of bool
Tensor negative(const Tensor& self);
Tensor abs(const Tensor& self);
Tensor absolute(const Tensor& self);
Tensor sign(const Tensor& self);
Tensor sgn(const Tensor& self);
Tensor positive(const Tensor& self);  // the tensor itself; not of bool
Tensor square(const Tensor& self);
Tensor sqrt(const Tensor& self);
Tensor rsqrt(const Tensor& self);
Tensor reciprocal(const Tensor& self);
Tensor relu(const Tensor& self);
Tensor floor(const Tensor& self);
Tensor ceil(const Tensor& self);
Tensor round(const Tensor& self);                    // ties to even
Tensor round(const Tensor& self, int64_t decimals);  // to that many places; not of integers
Tensor special_round(const Tensor& input, int64_t decimals = 0);
Tensor trunc(const Tensor& self);
Tensor fix(const Tensor& self);
Tensor frac(const Tensor& self);
// Replaces NaN by `nan` (0) and infinities by posinf and neginf (the limits of the type).
Tensor nan_to_num(const Tensor& self, std::optional<double> nan = std::nullopt,
                  std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt);
Tensor deg2rad(const Tensor& self);
Tensor rad2deg(const Tensor& self);
Tensor angle(const Tensor& self);  // pi where negative, else 0

const Tensor& neg_(const Tensor& self);
const Tensor& negative_(const Tensor& self);
const Tensor& abs_(const Tensor& self);
const Tensor& absolute_(const Tensor& self);
const Tensor& sign_(const Tensor& self);
const Tensor& sgn_(const Tensor& self);
const Tensor& square_(const Tensor& self);
const Tensor& sqrt_(const Tensor& self);
const Tensor& rsqrt_(const Tensor& self);
const Tensor& reciprocal_(const Tensor& self);
const Tensor& relu_(const Tensor& self);
const Tensor& floor_(const Tensor& self);
const Tensor& ceil_(const Tensor& self);
const Tensor& round_(const Tensor& self);
const Tensor& round_(const Tensor& self, int64_t decimals);
const Tensor& trunc_(const Tensor& self);
const Tensor& fix_(const Tensor& self);
const Tensor& frac_(const Tensor& self);
const Tensor& nan_to_num_(const Tensor& self, std::optional<double> nan = std::nullopt,
                          std::optional<double> posinf = std::nullopt,
                          std::optional<double> neginf = std::nullopt);
const Tensor& deg2rad_(const Tensor& self);
const Tensor& rad2deg_(const Tensor& self);

}  // namespace oneagent
