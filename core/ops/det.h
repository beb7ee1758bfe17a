// Determinants of batches of square matrices, by LU factors. d det = det A^-T; where A is singular
// the zeros on U's diagonal are taken as the smallest step of the type, as PyTorch does.
// d log|det| = A^-T. The determinant of a 0 x 0 matrix is 1.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor linalg_det(const Tensor& A);
Tensor det(const Tensor& self);
std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& A);  // det, LU, pivots

// The sign (0 where A is singular) and the logarithm of the absolute value.
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A);
std::tuple<Tensor, Tensor> slogdet(const Tensor& self);
std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(
    const Tensor& A);               // sign, logarithm, LU, pivots
Tensor logdet(const Tensor& self);  // NaN where the determinant is negative

}  // namespace oneagent
