#include "core/nn/modules/adaptive.h"

#include <cmath>

#include "core/nn/container/sequential.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

AdaptiveLogSoftmaxWithLossImpl::AdaptiveLogSoftmaxWithLossImpl(
    AdaptiveLogSoftmaxWithLossOptions options_)
    : options(std::move(options_)) {
  reset();
}

void AdaptiveLogSoftmaxWithLossImpl::reset() {
  cutoffs = options.cutoffs();
  OA_REQUIRE(!cutoffs.empty() && std::is_sorted(cutoffs.begin(), cutoffs.end()) &&
                 std::adjacent_find(cutoffs.begin(), cutoffs.end()) == cutoffs.end() &&
                 cutoffs.front() > 0 && cutoffs.back() < options.n_classes(),
             "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
             "order, where each value is between 1 and n_classes-1");
  cutoffs.push_back(options.n_classes());
  shortlist_size = cutoffs.front();
  n_clusters = static_cast<int64_t>(cutoffs.size()) - 1;
  head_size = shortlist_size + n_clusters;
  head = register_module(
      "head", Linear(LinearOptions(options.in_features(), head_size).bias(options.head_bias())));
  tail = ModuleList();
  register_module("tail", tail);
  for (int64_t i = 0; i < n_clusters; ++i) {
    const auto hidden =
        static_cast<int64_t>(std::floor(static_cast<double>(options.in_features()) /
                                        std::pow(options.div_value(), static_cast<double>(i + 1))));
    const int64_t classes = cutoffs[i + 1] - cutoffs[i];
    tail->push_back(Sequential(Linear(LinearOptions(options.in_features(), hidden).bias(false)),
                               Linear(LinearOptions(hidden, classes).bias(false))));
  }
}

void AdaptiveLogSoftmaxWithLossImpl::reset_parameters() {
  head->reset_parameters();
  for (const auto& cluster : *tail)
    for (const auto& linear : cluster->children()) linear->as<Linear>()->reset_parameters();
}

ASMoutput AdaptiveLogSoftmaxWithLossImpl::forward(const Tensor& input, const Tensor& target) {
  OA_REQUIRE(input.dim() == 2 && target.dim() == 1 && input.size(0) == target.size(0),
             "Input and target should have the same size in the batch dimension.");
  OA_REQUIRE(target.numel() == 0 || (target.min().item<int64_t>() >= 0 &&
                                     target.max().item<int64_t>() < options.n_classes()),
             "Target values should be in [0, n_classes - 1]");
  const Tensor from_head = head->forward(input).log_softmax(1);
  // The head's entry of each target: itself, or that of its cluster.
  Tensor at_head = target.clamp_max(shortlist_size - 1);
  Tensor output = zeros({target.size(0)}, TensorOptions(input.dtype()));
  for (int64_t i = 0; i < n_clusters; ++i) {
    const Tensor inside = target.ge(cutoffs[i]).logical_and(target.lt(cutoffs[i + 1]));
    const Tensor rows = inside.nonzero().squeeze(1);
    if (rows.numel() == 0) continue;
    at_head = at_head.masked_fill(inside, shortlist_size + i);
    const Tensor in_cluster = tail->ptr(static_cast<size_t>(i))
                                  ->as<Sequential>()
                                  ->forward(input.index_select(0, rows))
                                  .log_softmax(1);
    const Tensor relative = (target.index_select(0, rows) - cutoffs[i]).unsqueeze(1);
    output = output.index_add(0, rows, in_cluster.gather(1, relative).squeeze(1));
  }
  output = output + from_head.gather(1, at_head.unsqueeze(1)).squeeze(1);
  return {output, (-output).mean().item<double>()};
}

Tensor AdaptiveLogSoftmaxWithLossImpl::_get_full_log_prob(const Tensor& input,
                                                          const Tensor& head_output) {
  const Tensor from_head = head_output.log_softmax(1);
  std::vector<Tensor> parts = {from_head.narrow(1, 0, shortlist_size)};
  for (int64_t i = 0; i < n_clusters; ++i) {
    const Tensor in_cluster =
        tail->ptr(static_cast<size_t>(i))->as<Sequential>()->forward(input).log_softmax(1);
    parts.push_back(in_cluster + from_head.narrow(1, shortlist_size + i, 1));
  }
  return cat(parts, 1);
}
Tensor AdaptiveLogSoftmaxWithLossImpl::log_prob(const Tensor& input) {
  return _get_full_log_prob(input, head->forward(input));
}
Tensor AdaptiveLogSoftmaxWithLossImpl::predict(const Tensor& input) {
  return log_prob(input).argmax(1);
}
void AdaptiveLogSoftmaxWithLossImpl::pretty_print(std::ostream& out) const {
  out << "torch::nn::AdaptiveLogSoftmaxWithLoss";
}

}  // namespace oneagent::nn
