// Rows of a table by index. With `sparse` the gradient of the table is a sparse tensor that holds
// the rows read, in the order of the indices (core/ops/sparse.h).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// weight [v, d], indices int64 or int32 [...] -> [..., d]. The row padding_idx gets no gradient;
// with scale_grad_by_freq a row's gradient is divided by how often it was read.
Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx = -1,
                 bool scale_grad_by_freq = false, bool sparse = false);
Tensor embedding_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                          int64_t padding_idx, bool scale_grad_by_freq, bool sparse);
// A [num_weights, d] sparse tensor; scale_grad_by_freq is an Error.
Tensor embedding_sparse_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                                 int64_t padding_idx, bool scale_grad_by_freq);
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq);

// Scales the rows that are read down to a norm of max_norm.
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm,
                        double norm_type);
Tensor& embedding_renorm_(const Tensor& self, const Tensor& indices, double max_norm,
                          double norm_type);

}  // namespace oneagent
