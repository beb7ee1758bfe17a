// Discrete Fourier transforms along one dimension of a tensor. Complex tensors have a last
// dimension of two, the parts of a number. Plans are kept per thread.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// Both [..., n, ..., 2], contiguous; they may be the same tensor.
void fft_complex(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim, bool inverse,
                 double scale);

// in [..., n, ...], out [..., n / 2 + 1 or n, ..., 2], contiguous.
void fft_real_to_complex(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                         double scale);

// in [..., n / 2 + 1, ..., 2], out [..., n, ...], contiguous. The inverse transform, with the
// second half of the spectrum understood; imaginary parts that would make the result complex count
// as 0.
void fft_complex_to_real(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                         double scale);

}  // namespace oneagent
