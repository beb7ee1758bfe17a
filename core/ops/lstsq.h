// Least squares of batches of matrices: the X [..., n, k] that makes |A X - B| smallest for A =
// self [..., m, n], b [..., m, k] or one vector a matrix; of several the shortest. Drivers as in
// LAPACK: "gelsy" (the usual one, pivoted QR), "gels" (QR, assumes full rank), "gelsd" and "gelss"
// (singular values). Only the solution has a gradient: with P the pseudo-inverse, dB = P^T dX, and
// A that of P B.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// solution; residuals [..., k], squared (m > n and full rank, not gelsy, else [0]); rank (not
// gels); singular values (gelsd, gelss).
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(
    const Tensor& self, const Tensor& b, std::optional<double> rcond = std::nullopt,
    std::optional<std::string_view> driver = std::nullopt);

}  // namespace oneagent
