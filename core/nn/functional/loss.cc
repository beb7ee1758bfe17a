#include "core/nn/functional/loss.h"

#include "core/nn/functional/distance.h"
#include "core/ops/ops.h"

namespace oneagent::nn::functional {
namespace {

template <class Options>
int64_t reduction_of(const Options& options) {
  return enumtype::reduction_get_enum(options.reduction());
}

Tensor reduced_by(const Tensor& loss, int64_t reduction) {
  if (reduction == Reduction::Mean) return loss.mean();
  return reduction == Reduction::Sum ? loss.sum() : loss;
}

}  // namespace

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  return oneagent::l1_loss(input, target, reduction_of(options));
}
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  if (!std::holds_alternative<enumtype::kBatchMean>(options.reduction()))
    return oneagent::kl_div(input, target, reduction_of(options), options.log_target());
  const Tensor sum = oneagent::kl_div(input, target, Reduction::Sum, options.log_target());
  return input.dim() == 0 ? sum : sum / static_cast<double>(input.size(0));
}
Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  return oneagent::mse_loss(input, target, reduction_of(options));
}
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options) {
  OA_REQUIRE(input.sizes() == target.sizes(), "Using a target size (", target.sizes(),
             ") that is different to the input size (", input.sizes(),
             ") is deprecated. Please ensure they have the same size.");
  return oneagent::binary_cross_entropy(input, target, options.weight(), reduction_of(options));
}
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  OA_REQUIRE(input.sizes() == target.sizes(), "Target size (", target.sizes(),
             ") must be the same as input size (", input.sizes(), ")");
  return oneagent::binary_cross_entropy_with_logits(input, target, options.weight(),
                                                    options.pos_weight(), reduction_of(options));
}
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options) {
  return oneagent::hinge_embedding_loss(input, target, options.margin(), reduction_of(options));
}
Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                         const MultiMarginLossFuncOptions& options) {
  OA_REQUIRE(options.p() == 1 || options.p() == 2, "only p == 1 and p == 2 supported");
  OA_REQUIRE(!options.weight().defined() || options.weight().dim() == 1,
             "weight must be one-dimensional");
  return oneagent::multi_margin_loss(input, target, options.p(), options.margin(), options.weight(),
                                     reduction_of(options));
}
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options) {
  return oneagent::cosine_embedding_loss(input1, input2, target, options.margin(),
                                         reduction_of(options));
}
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      const SmoothL1LossFuncOptions& options, double beta) {
  return oneagent::smooth_l1_loss(input, target, reduction_of(options), beta);
}
Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  return oneagent::huber_loss(input, target, reduction_of(options), options.delta());
}
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              const MultilabelMarginLossFuncOptions& options) {
  return oneagent::multilabel_margin_loss(input, target, reduction_of(options));
}
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        const SoftMarginLossFuncOptions& options) {
  return oneagent::soft_margin_loss(input, target, reduction_of(options));
}
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const MultilabelSoftMarginLossFuncOptions& options) {
  Tensor loss = -(target * input.log_sigmoid() + (1 - target) * (-input).log_sigmoid());
  if (options.weight().defined()) loss = loss * options.weight();
  return reduced_by(loss.mean(Shape(-1)), reduction_of(options));
}
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options) {
  return oneagent::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(),
                                       options.eps(), options.swap(), reduction_of(options));
}
Tensor triplet_margin_with_distance_loss(const Tensor& anchor, const Tensor& positive,
                                         const Tensor& negative,
                                         const TripletMarginWithDistanceLossFuncOptions& options) {
  const auto distance = [&](const Tensor& a, const Tensor& b) {
    return options.distance_function() ? (*options.distance_function())(a, b)
                                       : functional::pairwise_distance(a, b);
  };
  const Tensor near = distance(anchor, positive);
  Tensor far = distance(anchor, negative);
  if (options.swap()) far = minimum(far, distance(positive, negative));
  return reduced_by((near - far + options.margin()).relu(), reduction_of(options));
}
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& options) {
  return oneagent::ctc_loss(log_probs, targets, input_lengths, target_lengths, options.blank(),
                            reduction_of(options), options.zero_infinity());
}
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                        const PoissonNLLLossFuncOptions& options) {
  return oneagent::poisson_nll_loss(input, target, options.log_input(), options.full(),
                                    options.eps(), reduction_of(options));
}
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options) {
  OA_REQUIRE(input1.dim() == input2.dim() && input1.dim() == target.dim(),
             "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
             "input1: ",
             input1.sizes(), ", input2: ", input2.sizes(), ", target: ", target.sizes());
  return oneagent::margin_ranking_loss(input1, input2, target, options.margin(),
                                       reduction_of(options));
}
Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  OA_REQUIRE(input.dim() == 0 || input.dim() == 1 || input.size(0) == target.size(0),
             "Expected input batch_size (", input.size(0), ") to match target batch_size (",
             target.size(0), ").");
  return oneagent::nll_loss_nd(input, target, options.weight(), reduction_of(options),
                               options.ignore_index());
}
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyFuncOptions& options) {
  return oneagent::cross_entropy_loss(input, target, options.weight(), reduction_of(options),
                                      options.ignore_index(), options.label_smoothing());
}

}  // namespace oneagent::nn::functional
