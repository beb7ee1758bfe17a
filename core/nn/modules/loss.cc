#include "core/nn/modules/loss.h"

#include "core/nn/functional/loss.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

namespace F = functional;

// Losses of an input and a target that only say their name.
#define OA_LOSS(Name, function)                                                 \
  Tensor Name##Impl::forward(const Tensor& input, const Tensor& target) const { \
    return F::function(input, target, options);                                 \
  }                                                                             \
  void Name##Impl::pretty_print(std::ostream& out) const { Printed(out, #Name); }
OA_LOSS(L1Loss, l1_loss)
OA_LOSS(KLDivLoss, kl_div)
OA_LOSS(MSELoss, mse_loss)
OA_LOSS(BCELoss, binary_cross_entropy)
OA_LOSS(MultiLabelMarginLoss, multilabel_margin_loss)
OA_LOSS(SoftMarginLoss, soft_margin_loss)
OA_LOSS(MultiLabelSoftMarginLoss, multilabel_soft_margin_loss)
OA_LOSS(PoissonNLLLoss, poisson_nll_loss)
#undef OA_LOSS

Tensor HingeEmbeddingLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::hinge_embedding_loss(input, target, options);
}
void HingeEmbeddingLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "HingeEmbeddingLoss").with("margin", options.margin());
}

Tensor MultiMarginLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::multi_margin_loss(input, target, options);
}
void MultiMarginLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "MultiMarginLoss")
      .with("p", options.p())
      .with("margin", options.margin())
      .with("weight", options.weight())
      .with("reduction", enumtype::get_enum_name(options.reduction()));
}

Tensor CosineEmbeddingLossImpl::forward(const Tensor& input1, const Tensor& input2,
                                        const Tensor& target) const {
  return F::cosine_embedding_loss(input1, input2, target, options);
}
void CosineEmbeddingLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "CosineEmbeddingLoss").with("margin", options.margin());
}

Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::smooth_l1_loss(input, target, options, options.beta());
}
void SmoothL1LossImpl::pretty_print(std::ostream& out) const { out << "torch::nn::SmoothL1Loss"; }

Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::huber_loss(input, target, options);
}
void HuberLossImpl::pretty_print(std::ostream& out) const { out << "torch::nn::HuberLoss"; }

Tensor TripletMarginLossImpl::forward(const Tensor& anchor, const Tensor& positive,
                                      const Tensor& negative) const {
  return F::triplet_margin_loss(anchor, positive, negative, options);
}
void TripletMarginLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "TripletMarginLoss")
      .with("margin", options.margin())
      .with("p", options.p())
      .with("eps", options.eps())
      .with("swap", options.swap());
}

Tensor TripletMarginWithDistanceLossImpl::forward(const Tensor& anchor, const Tensor& positive,
                                                  const Tensor& negative) const {
  return F::triplet_margin_with_distance_loss(anchor, positive, negative, options);
}
void TripletMarginWithDistanceLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "TripletMarginWithDistanceLoss")
      .with("margin", options.margin())
      .with("swap", options.swap());
}

Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets,
                            const Tensor& input_lengths, const Tensor& target_lengths) const {
  return F::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}
void CTCLossImpl::pretty_print(std::ostream& out) const { Printed(out, "CTCLoss"); }

Tensor MarginRankingLossImpl::forward(const Tensor& input1, const Tensor& input2,
                                      const Tensor& targets) const {
  return F::margin_ranking_loss(input1, input2, targets, options);
}
void MarginRankingLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "MarginRankingLoss");
}

Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::nll_loss(input, target, F::NLLLossFuncOptions(options).weight(weight));
}
void NLLLossImpl::pretty_print(std::ostream& out) const { Printed(out, "NLLLoss"); }

Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::cross_entropy(input, target, F::CrossEntropyFuncOptions(options).weight(weight));
}
void CrossEntropyLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "CrossEntropyLoss");
}

Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) const {
  return F::binary_cross_entropy_with_logits(
      input, target,
      F::BinaryCrossEntropyWithLogitsFuncOptions(options).weight(weight).pos_weight(pos_weight));
}
void BCEWithLogitsLossImpl::pretty_print(std::ostream& out) const {
  Printed(out, "BCEWithLogitsLoss");
}

}  // namespace oneagent::nn
