// Losses as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/loss.h"

namespace oneagent::nn {

OA_LAYER(L1Loss, (const Tensor& input, const Tensor& target));
OA_LAYER(KLDivLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(MSELoss, (const Tensor& input, const Tensor& target));
OA_LAYER(BCELoss, (const Tensor& input, const Tensor& target));
OA_LAYER(HingeEmbeddingLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(MultiMarginLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(CosineEmbeddingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& target));
OA_LAYER(SmoothL1Loss, (const Tensor& input, const Tensor& target));
OA_LAYER(HuberLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(MultiLabelMarginLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(SoftMarginLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(MultiLabelSoftMarginLoss, (const Tensor& input, const Tensor& target));
OA_LAYER(TripletMarginLoss, (const Tensor& anchor, const Tensor& positive, const Tensor& negative));
OA_LAYER(TripletMarginWithDistanceLoss,
         (const Tensor& anchor, const Tensor& positive, const Tensor& negative));
OA_LAYER(CTCLoss, (const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                   const Tensor& target_lengths));
OA_LAYER(PoissonNLLLoss, (const Tensor& log_input, const Tensor& targets));
OA_LAYER(MarginRankingLoss, (const Tensor& input1, const Tensor& input2, const Tensor& targets));

// The weights of these are buffers.
class NLLLossImpl : public Cloneable<NLLLossImpl> {
 public:
  explicit NLLLossImpl(const NLLLossOptions& options_ = {}) : options(options_) { reset(); }
  void reset() override { weight = register_buffer("weight", options.weight()); }
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input, const Tensor& target) const;
  NLLLossOptions options;
  Tensor weight;
};
TORCH_MODULE(NLLLoss);

class CrossEntropyLossImpl : public Cloneable<CrossEntropyLossImpl> {
 public:
  explicit CrossEntropyLossImpl(const CrossEntropyLossOptions& options_ = {}) : options(options_) {
    reset();
  }
  void reset() override { weight = register_buffer("weight", options.weight()); }
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input, const Tensor& target) const;
  CrossEntropyLossOptions options;
  Tensor weight;
};
TORCH_MODULE(CrossEntropyLoss);

class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {})
      : options(options_) {
    reset();
  }
  void reset() override {
    weight = register_buffer("weight", options.weight());
    pos_weight = register_buffer("pos_weight", options.pos_weight());
  }
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input, const Tensor& target) const;
  BCEWithLogitsLossOptions options;
  Tensor weight, pos_weight;
};
TORCH_MODULE(BCEWithLogitsLoss);

}  // namespace oneagent::nn
