// The gamma function's relatives. Integers become the default floating type; in place they are
// refused.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor lgamma(const Tensor& self);  // log |Gamma(x)|
Tensor digamma(const Tensor& self);
Tensor polygamma(int64_t n, const Tensor& self);  // the n-th derivative of digamma, n >= 0
Tensor polygamma(const Tensor& self, int64_t n);
OA_IN_PLACE Tensor mvlgamma(const Tensor& self, int64_t p);  // multivariate; self > (p - 1) / 2
// The regularised incomplete gamma functions P(self, other) and Q(self, other), both >= 0; only
// `other` has a gradient.
OA_IN_PLACE Tensor igamma(const Tensor& self, const Tensor& other);
OA_IN_PLACE Tensor igammac(const Tensor& self, const Tensor& other);
Tensor special_gammaln(const Tensor& self);
Tensor special_psi(const Tensor& self);
Tensor special_digamma(const Tensor& self);
Tensor special_polygamma(int64_t n, const Tensor& self);
Tensor special_multigammaln(const Tensor& self, int64_t p);
Tensor special_gammainc(const Tensor& self, const Tensor& other);
Tensor special_gammaincc(const Tensor& self, const Tensor& other);
// Hurwitz' zeta: the sum of (other + k)^-self over k >= 0; only `other` has a gradient.
Tensor special_zeta(const Tensor& self, const Tensor& other);
Tensor special_zeta(Scalar number, const Tensor& other);
Tensor special_zeta(const Tensor& self, Scalar other);

const Tensor& lgamma_(const Tensor& self);
const Tensor& digamma_(const Tensor& self);
const Tensor& polygamma_(const Tensor& self, int64_t n);

}  // namespace oneagent
