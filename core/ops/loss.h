// Losses. reduction: kMean (default), kSum or kNone.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

enum class Reduction : uint8_t { kNone, kMean, kSum };

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean);
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean);
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      Reduction reduction = Reduction::kMean, double beta = 1.0);
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::kMean,
                  double delta = 1.0);
Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target,
                Reduction reduction = Reduction::kMean);  // [n, c], int64 [n]
Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     Reduction reduction = Reduction::kMean);  // [n, c], int64 [n]
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        Reduction reduction = Reduction::kMean);

}  // namespace oneagent
