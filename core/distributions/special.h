// Functions that distributions need and core/ops has not yet, as nodes with gradients of their own
// (any number of times). Computed in double.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent::distributions::special {

Tensor log_gamma(const Tensor& x);                // log Gamma(x) for x > 0
Tensor polygamma_of(int64_t n, const Tensor& x);  // derivative n + 1 of it; n = 0: digamma
Tensor inverse_erf(const Tensor& x);
Tensor arctangent(const Tensor& x);
Tensor tangent(const Tensor& x);
Tensor x_log_y(const Tensor& x, const Tensor& y);  // 0 where x is 0

inline Tensor digamma_of(const Tensor& x) { return polygamma_of(0, x); }

}  // namespace oneagent::distributions::special
