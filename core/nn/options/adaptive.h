// Options of AdaptiveLogSoftmaxWithLoss: classes up to the first cutoff are the shortlist.
#pragma once

#include <cstdint>
#include <vector>

#include "core/nn/arg.h"

namespace oneagent::nn {

struct AdaptiveLogSoftmaxWithLossOptions {
  AdaptiveLogSoftmaxWithLossOptions(int64_t in_features, int64_t n_classes,
                                    std::vector<int64_t> cutoffs)
      : in_features_(in_features), n_classes_(n_classes), cutoffs_(std::move(cutoffs)) {}
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, n_classes);
  TORCH_ARG(std::vector<int64_t>, cutoffs);
  TORCH_ARG(double, div_value) = 4.0;
  TORCH_ARG(bool, head_bias) = false;
};

}  // namespace oneagent::nn
