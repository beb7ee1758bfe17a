// Sums, means or maxima of rows of a table, over bags of indices.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// weight [v, d]; indices [n], int64 or int32; offsets [b]: where each bag begins (with
// include_last_offset [b + 1], the last one being n). mode 0: sum, with per_sample_weights [n] if
// given; 1: mean; 2: maximum. Rows of padding_idx are left out. Results: [b, d]; the bag of each
// index [n]; the size of each bag [b]; of mode 2 the index that each maximum was read from [b, d].
// An empty bag gives 0. With `sparse`, which mode 2 refuses, the gradient of the table is a sparse
// tensor that holds the rows read (core/ops/sparse.h).
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets,
    bool scale_grad_by_freq = false, int64_t mode = 0, bool sparse = false,
    const std::optional<Tensor>& per_sample_weights = {}, bool include_last_offset = false);
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset, std::optional<int64_t> padding_idx);

}  // namespace oneagent
