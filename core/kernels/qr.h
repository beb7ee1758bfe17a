// QR factors of batches of matrices by Householder reflections (LAPACK geqrf, orgqr, ormqr).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// a [..., m, n] -> reflectors [..., m, n] (R and, below it, the vectors) and tau [..., min(m, n)].
void householder_factor(Stream& stream, const Tensor& reflectors, const Tensor& tau,
                        const Tensor& a);

// The first columns of the product of the reflections: a [..., m, n], tau [..., k] -> [..., m, n].
void householder_product(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& tau);

// The product (transposed or not) times c [..., m, n] from the left or the right.
void householder_multiply(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& tau,
                          const Tensor& c, bool left, bool transposed);

// q [..., m, k] or [..., m, m], undefined when not wanted; r has as many rows as q columns, or
// min(m, n).
void qr_factor(Stream& stream, const Tensor& q, const Tensor& r, const Tensor& a);

}  // namespace oneagent
