#include "core/nn/modules/distance.h"

#include "core/nn/functional/distance.h"
#include "core/nn/printed.h"

namespace oneagent::nn {

Tensor CosineSimilarityImpl::forward(const Tensor& input1, const Tensor& input2) const {
  return functional::cosine_similarity(input1, input2, options);
}
void CosineSimilarityImpl::pretty_print(std::ostream& out) const {
  Printed(out << std::boolalpha, "CosineSimilarity")
      .with("dim", options.dim())
      .with("eps", options.eps());
}

Tensor PairwiseDistanceImpl::forward(const Tensor& input1, const Tensor& input2) const {
  return functional::pairwise_distance(input1, input2, options);
}
void PairwiseDistanceImpl::pretty_print(std::ostream& out) const {
  Printed(out, "PairwiseDistance")
      .with("p", options.p())
      .with("eps", options.eps())
      .with("keepdim", options.keepdim());
}

}  // namespace oneagent::nn
