// Reading and writing through an index with one element per element read: gather and scatter.
// Indices are int64, not negative, and checked: an Error names the first bad one.
#pragma once

#include "core/kernels/combine.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// out[i][j][k] = in[i][index[i][j][k]][k] for dim 1; out has index's shape.
void run_gather(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                const Tensor& index);

// out[i][index[i][j][k]][k] = (or +=, *=, max=, min=) source[i][j][k]; later sources win. source
// has at least index's shape, or one element.
void run_scatter(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                 const Tensor& source, Combine how);

}  // namespace oneagent
