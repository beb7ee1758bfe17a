// Softmax over many classes in clusters: frequent classes first, rare ones in tails of fewer
// features (Grave et al. 2017).
#pragma once

#include "core/nn/container/module_list.h"
#include "core/nn/modules/linear.h"
#include "core/nn/options/adaptive.h"

namespace oneagent::nn {

struct ASMoutput {
  ASMoutput(Tensor output_, double loss_) : output(std::move(output_)), loss(loss_) {}
  Tensor output;  // [n]: the log probability of each target
  double loss;    // the mean of their negatives
};

class AdaptiveLogSoftmaxWithLossImpl : public Cloneable<AdaptiveLogSoftmaxWithLossImpl> {
 public:
  AdaptiveLogSoftmaxWithLossImpl(int64_t in_features, int64_t n_classes,
                                 std::vector<int64_t> cutoffs)
      : AdaptiveLogSoftmaxWithLossImpl(
            AdaptiveLogSoftmaxWithLossOptions(in_features, n_classes, std::move(cutoffs))) {}
  explicit AdaptiveLogSoftmaxWithLossImpl(AdaptiveLogSoftmaxWithLossOptions options_);
  ASMoutput forward(const Tensor& input, const Tensor& target);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;
  Tensor _get_full_log_prob(const Tensor& input, const Tensor& head_output);
  Tensor log_prob(const Tensor& input);  // [n, n_classes]
  Tensor predict(const Tensor& input);   // [n]: the likeliest class

  AdaptiveLogSoftmaxWithLossOptions options;
  std::vector<int64_t> cutoffs;
  int64_t shortlist_size = 0, n_clusters = 0, head_size = 0;
  Linear head = nullptr;
  ModuleList tail;
};
TORCH_MODULE(AdaptiveLogSoftmaxWithLoss);

}  // namespace oneagent::nn
