// QR factors of matrices [..., m, n] by Householder reflections, with LAPACK's signs.
//
// With M = dR R^T - Q^T dQ, the gradient for m >= n is (dQ + Q copyltu(up(M))) R^-T, where copyltu
// mirrors the upper triangle; for m < n the last columns are Q times those of R, so that their
// gradients join those of Q (S. F. Walter, L. Lehmann and R. Lamour, 2012).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Q and R. mode "reduced": [..., m, k], [..., k, n] with k = min(m, n); "complete": [..., m, m],
// [..., m, n], differentiable for m <= n; "r": Q is [0], not differentiable.
std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode = "reduced");
std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some = true);

// R with the vectors of the reflections below it, and their factors tau; without gradient.
std::tuple<Tensor, Tensor> geqrf(const Tensor& self);

// The first n columns of the product of reflections: [..., m, n], tau [..., k], k <= n <= m.
Tensor linalg_householder_product(const Tensor& input, const Tensor& tau);
Tensor orgqr(const Tensor& self, const Tensor& input2);

// The whole product of reflections (transposed or not) times input3; without gradient.
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left = true,
             bool transpose = false);

}  // namespace oneagent
