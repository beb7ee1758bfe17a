// Distances and similarities of vectors.
#pragma once

#include "core/nn/options/distance.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn::functional {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options = {});
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options = {});
Tensor pdist(const Tensor& input, double p = 2.0);  // of all pairs of rows

}  // namespace oneagent::nn::functional
