// Discrete Fourier transforms on tensors whose complex numbers are a last dimension of two
// (view_as_real's layout), as PyTorch's _fft_r2c, _fft_c2c and _fft_c2r are on complex ones. `dim`
// lists dimensions of the signal, without the two parts. normalization: 0 none, 1 by the root of
// the number of elements transformed, 2 by that number. Every transform is linear; its gradient is
// the transform in the other direction.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Real [...] -> complex. onesided: the last of the dimensions keeps n / 2 + 1 elements, the others
// follow by symmetry.
Tensor fft_r2c(const Tensor& signal, const Shape& dim, int64_t normalization, bool onesided);

// Complex [..., 2] -> complex; forward with exp(-i ...), else exp(i ...).
Tensor fft_c2c(const Tensor& signal, const Shape& dim, int64_t normalization, bool forward);

// Complex [..., 2], half of a spectrum along the last of the dimensions -> real, with last_dim_size
// elements there; backwards, exp(i ...).
Tensor fft_c2r(const Tensor& signal, const Shape& dim, int64_t normalization,
               int64_t last_dim_size);

}  // namespace oneagent
