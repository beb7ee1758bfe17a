#include "core/nn/functional/distance.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                         const CosineSimilarityFuncOptions& options) {
  return oneagent::cosine_similarity(x1, x2, options.dim(), options.eps());
}
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                         const PairwiseDistanceFuncOptions& options) {
  return oneagent::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}
Tensor pdist(const Tensor& input, double p) { return oneagent::pdist(input, p); }

}  // namespace oneagent::nn::functional
