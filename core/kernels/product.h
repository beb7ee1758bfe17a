// Products of tensors of any number type, on top of gemm (core/kernels/gemm.h), the matrix-vector
// kernel and the integer kernel. Strides are read in place where the kernels allow it. Results must
// not overlap operands.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out[m, n] (+)= a[m, k] b[k, n]. Columns of `out` are contiguous.
void multiply(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
              bool accumulate = false);

// out[b, m, n] (+)= a[b, m, k] b[b, k, n], each batch like multiply; with out[m, n], all batches
// are added up.
void multiply_batches(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
                      bool accumulate = false);

// out[m] (contiguous) = a[m, k] x[k].
void multiply_vector(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& x);

// out = factor x, broadcast.
void scale(Stream& stream, const Tensor& out, const Tensor& x, Scalar factor);

// out = alpha product + beta y, elementwise; y is not read where beta is 0. Overlap of out with the
// operands in the same layout is allowed.
void add_scaled(Stream& stream, const Tensor& out, const Tensor& product, Scalar alpha,
                const Tensor& y, Scalar beta);

}  // namespace oneagent
