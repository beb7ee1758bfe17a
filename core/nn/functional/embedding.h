// Rows of a table by index.
#pragma once

#include "core/nn/options/embedding.h"

namespace oneagent::nn::functional {

Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);
// With max_norm the rows used are first scaled down to it, in place.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 const EmbeddingFuncOptions& options = {});
// Sum, mean or maximum of the rows of each bag: a row of [bags, n] indices, or of [n] those between
// offsets.
Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options = {});

}  // namespace oneagent::nn::functional
