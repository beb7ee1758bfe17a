// Reading and writing through int64 indices along one dimension. Indices are checked: an Error
// names the first bad one.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out[i][j][k] = in[i][index[i][j][k]][k] for dim 1; out has index's shape.
void run_gather(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                const Tensor& index);

// out[i][index[i][j][k]][k] = (or +=) source[i][j][k]; later sources win.
void run_scatter(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                 const Tensor& source, bool accumulate);

// out = in[:, index, :] and out[:, index, :] += source; index is 1-d.
void run_index_select(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                      const Tensor& index);
void run_index_add(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                   const Tensor& source);

}  // namespace oneagent
