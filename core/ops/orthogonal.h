// Orthogonal polynomials of degree n in x, elementwise with broadcasting; n is cut to an integer
// and negative degrees give 0. Integers become the default floating type. No gradients, as in
// PyTorch.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor special_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor special_chebyshev_polynomial_t(const Tensor& x, Scalar n);
Tensor special_chebyshev_polynomial_t(Scalar x, const Tensor& n);
Tensor special_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor special_chebyshev_polynomial_u(const Tensor& x, Scalar n);
Tensor special_chebyshev_polynomial_u(Scalar x, const Tensor& n);
Tensor special_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor special_chebyshev_polynomial_v(const Tensor& x, Scalar n);
Tensor special_chebyshev_polynomial_v(Scalar x, const Tensor& n);
Tensor special_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor special_chebyshev_polynomial_w(const Tensor& x, Scalar n);
Tensor special_chebyshev_polynomial_w(Scalar x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_t(const Tensor& x, Scalar n);
Tensor special_shifted_chebyshev_polynomial_t(Scalar x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_u(const Tensor& x, Scalar n);
Tensor special_shifted_chebyshev_polynomial_u(Scalar x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_v(const Tensor& x, Scalar n);
Tensor special_shifted_chebyshev_polynomial_v(Scalar x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, const Tensor& n);
Tensor special_shifted_chebyshev_polynomial_w(const Tensor& x, Scalar n);
Tensor special_shifted_chebyshev_polynomial_w(Scalar x, const Tensor& n);
Tensor special_hermite_polynomial_h(const Tensor& x, const Tensor& n);
Tensor special_hermite_polynomial_h(const Tensor& x, Scalar n);
Tensor special_hermite_polynomial_h(Scalar x, const Tensor& n);
Tensor special_hermite_polynomial_he(const Tensor& x, const Tensor& n);
Tensor special_hermite_polynomial_he(const Tensor& x, Scalar n);
Tensor special_hermite_polynomial_he(Scalar x, const Tensor& n);
Tensor special_laguerre_polynomial_l(const Tensor& x, const Tensor& n);
Tensor special_laguerre_polynomial_l(const Tensor& x, Scalar n);
Tensor special_laguerre_polynomial_l(Scalar x, const Tensor& n);
Tensor special_legendre_polynomial_p(const Tensor& x, const Tensor& n);
Tensor special_legendre_polynomial_p(const Tensor& x, Scalar n);
Tensor special_legendre_polynomial_p(Scalar x, const Tensor& n);

}  // namespace oneagent
