// nn::functional::detail of losses and pools (core/nn/functional/detail.h).
#pragma once

#include "core/nn/functional.h"

namespace oneagent::nn::functional::detail {

// Losses of an input and a target without further values.
#define OA_LOSS(name, Options)                                                                    \
  inline Tensor name(const Tensor& input, const Tensor& target, Options::reduction_t reduction) { \
    return functional::name(input, target, Options().reduction(reduction));                       \
  }
OA_LOSS(l1_loss, L1LossFuncOptions)
OA_LOSS(mse_loss, MSELossFuncOptions)
OA_LOSS(multilabel_margin_loss, MultilabelMarginLossFuncOptions)
OA_LOSS(soft_margin_loss, SoftMarginLossFuncOptions)
#undef OA_LOSS
inline Tensor kl_div(const Tensor& input, const Tensor& target,
                     KLDivFuncOptions::reduction_t reduction, bool log_target = false) {
  return functional::kl_div(input, target,
                            KLDivFuncOptions().reduction(reduction).log_target(log_target));
}
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   BinaryCrossEntropyFuncOptions::reduction_t reduction) {
  return functional::binary_cross_entropy(
      input, target, BinaryCrossEntropyFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const Tensor& weight,
    BinaryCrossEntropyWithLogitsFuncOptions::reduction_t reduction, const Tensor& pos_weight) {
  return functional::binary_cross_entropy_with_logits(
      input, target,
      BinaryCrossEntropyWithLogitsFuncOptions().weight(weight).reduction(reduction).pos_weight(
          pos_weight));
}
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin,
                                   HingeEmbeddingLossFuncOptions::reduction_t reduction) {
  return functional::hinge_embedding_loss(
      input, target, HingeEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p, double margin,
                                const Tensor& weight,
                                MultiMarginLossFuncOptions::reduction_t reduction) {
  return functional::multi_margin_loss(
      input, target,
      MultiMarginLossFuncOptions().p(p).margin(margin).weight(weight).reduction(reduction));
}
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target, double margin,
                                    CosineEmbeddingLossFuncOptions::reduction_t reduction) {
  return functional::cosine_embedding_loss(
      input1, input2, target, CosineEmbeddingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             SmoothL1LossFuncOptions::reduction_t reduction, double beta = 1.0) {
  return functional::smooth_l1_loss(input, target,
                                    SmoothL1LossFuncOptions().reduction(reduction).beta(beta));
}
inline Tensor huber_loss(const Tensor& input, const Tensor& target,
                         HuberLossFuncOptions::reduction_t reduction, double delta = 1.0) {
  return functional::huber_loss(input, target,
                                HuberLossFuncOptions().reduction(reduction).delta(delta));
}
inline Tensor multilabel_soft_margin_loss(
    const Tensor& input, const Tensor& target, const Tensor& weight,
    MultilabelSoftMarginLossFuncOptions::reduction_t reduction) {
  return functional::multilabel_soft_margin_loss(
      input, target, MultilabelSoftMarginLossFuncOptions().weight(weight).reduction(reduction));
}
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                  const Tensor& negative, double margin, double p, double eps,
                                  bool swap, TripletMarginLossFuncOptions::reduction_t reduction) {
  return functional::triplet_margin_loss(
      anchor, positive, negative,
      TripletMarginLossFuncOptions().margin(margin).p(p).eps(eps).swap(swap).reduction(reduction));
}
inline Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    std::optional<TripletMarginWithDistanceLossFuncOptions::distance_function_t> distance_function,
    double margin, bool swap, TripletMarginWithDistanceLossFuncOptions::reduction_t reduction) {
  return functional::triplet_margin_with_distance_loss(anchor, positive, negative,
                                                       TripletMarginWithDistanceLossFuncOptions()
                                                           .distance_function(distance_function)
                                                           .margin(margin)
                                                           .swap(swap)
                                                           .reduction(reduction));
}
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank,
                       CTCLossFuncOptions::reduction_t reduction, bool zero_infinity) {
  return functional::ctc_loss(
      log_probs, targets, input_lengths, target_lengths,
      CTCLossFuncOptions().blank(blank).reduction(reduction).zero_infinity(zero_infinity));
}
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                               double eps, PoissonNLLLossFuncOptions::reduction_t reduction) {
  return functional::poisson_nll_loss(
      input, target,
      PoissonNLLLossFuncOptions().log_input(log_input).full(full).eps(eps).reduction(reduction));
}
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  double margin,
                                  MarginRankingLossFuncOptions::reduction_t reduction) {
  return functional::margin_ranking_loss(
      input1, input2, target, MarginRankingLossFuncOptions().margin(margin).reduction(reduction));
}
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                       int64_t ignore_index, NLLLossFuncOptions::reduction_t reduction) {
  return functional::nll_loss(
      input, target,
      NLLLossFuncOptions().weight(weight).ignore_index(ignore_index).reduction(reduction));
}
inline Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            int64_t ignore_index, CrossEntropyFuncOptions::reduction_t reduction,
                            double label_smoothing) {
  return functional::cross_entropy(input, target,
                                   CrossEntropyFuncOptions()
                                       .weight(weight)
                                       .ignore_index(ignore_index)
                                       .reduction(reduction)
                                       .label_smoothing(label_smoothing));
}

// Pools
#define OA_MAX_POOL(D)                                                                          \
  inline Tensor max_pool##D##d(const Tensor& input, ExpandingArray<D> kernel_size,              \
                               ExpandingArray<D> stride, ExpandingArray<D> padding,             \
                               ExpandingArray<D> dilation, bool ceil_mode) {                    \
    return functional::max_pool##D##d(input, MaxPool##D##dFuncOptions(kernel_size)              \
                                                 .stride(stride)                                \
                                                 .padding(padding)                              \
                                                 .dilation(dilation)                            \
                                                 .ceil_mode(ceil_mode));                        \
  }                                                                                             \
  inline std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(                                \
      const Tensor& input, ExpandingArray<D> kernel_size, ExpandingArray<D> stride,             \
      ExpandingArray<D> padding, ExpandingArray<D> dilation, bool ceil_mode) {                  \
    return functional::max_pool##D##d_with_indices(input, MaxPool##D##dFuncOptions(kernel_size) \
                                                              .stride(stride)                   \
                                                              .padding(padding)                 \
                                                              .dilation(dilation)               \
                                                              .ceil_mode(ceil_mode));           \
  }                                                                                             \
  inline Tensor max_unpool##D##d(const Tensor& input, const Tensor& indices,                    \
                                 ExpandingArray<D> kernel_size, ExpandingArray<D> stride,       \
                                 ExpandingArray<D> padding,                                     \
                                 const std::optional<std::vector<int64_t>>& output_size) {      \
    return functional::max_unpool##D##d(input, indices,                                         \
                                        MaxUnpool##D##dFuncOptions(kernel_size)                 \
                                            .stride(stride)                                     \
                                            .padding(padding)                                   \
                                            .output_size(output_size));                         \
  }
OA_MAX_POOL(1)
OA_MAX_POOL(2)
OA_MAX_POOL(3)
#undef OA_MAX_POOL
inline Tensor avg_pool1d(const Tensor& input, ExpandingArray<1> kernel_size,
                         ExpandingArray<1> stride, ExpandingArray<1> padding, bool ceil_mode,
                         bool count_include_pad) {
  return functional::avg_pool1d(input, AvgPool1dFuncOptions(kernel_size)
                                           .stride(stride)
                                           .padding(padding)
                                           .ceil_mode(ceil_mode)
                                           .count_include_pad(count_include_pad));
}
#define OA_AVG_POOL(D)                                                                 \
  inline Tensor avg_pool##D##d(const Tensor& input, ExpandingArray<D> kernel_size,     \
                               ExpandingArray<D> stride, ExpandingArray<D> padding,    \
                               bool ceil_mode, bool count_include_pad,                 \
                               std::optional<int64_t> divisor_override) {              \
    return functional::avg_pool##D##d(input, AvgPool##D##dFuncOptions(kernel_size)     \
                                                 .stride(stride)                       \
                                                 .padding(padding)                     \
                                                 .ceil_mode(ceil_mode)                 \
                                                 .count_include_pad(count_include_pad) \
                                                 .divisor_override(divisor_override)); \
  }
OA_AVG_POOL(2)
OA_AVG_POOL(3)
#undef OA_AVG_POOL
#define OA_ADAPTIVE_POOL(D, Size)                                                              \
  inline Tensor adaptive_avg_pool##D##d(const Tensor& input, Size output_size) {               \
    return functional::adaptive_avg_pool##D##d(input,                                          \
                                               AdaptiveAvgPool##D##dFuncOptions(output_size)); \
  }                                                                                            \
  inline Tensor adaptive_max_pool##D##d(const Tensor& input, Size output_size) {               \
    return functional::adaptive_max_pool##D##d(input,                                          \
                                               AdaptiveMaxPool##D##dFuncOptions(output_size)); \
  }                                                                                            \
  inline std::tuple<Tensor, Tensor> adaptive_max_pool##D##d_with_indices(const Tensor& input,  \
                                                                         Size output_size) {   \
    return functional::adaptive_max_pool##D##d_with_indices(                                   \
        input, AdaptiveMaxPool##D##dFuncOptions(output_size));                                 \
  }
OA_ADAPTIVE_POOL(1, ExpandingArray<1>)
OA_ADAPTIVE_POOL(2, ExpandingArrayWithOptionalElem<2>)
OA_ADAPTIVE_POOL(3, ExpandingArrayWithOptionalElem<3>)
#undef OA_ADAPTIVE_POOL
#define OA_FRACTIONAL_POOL(D)                                                                    \
  inline std::tuple<Tensor, Tensor> fractional_max_pool##D##d_with_indices(                      \
      const Tensor& input, ExpandingArray<D> kernel_size,                                        \
      std::optional<ExpandingArray<D>> output_size,                                              \
      std::optional<ExpandingArray<D, double>> output_ratio, const Tensor& _random_samples) {    \
    return functional::fractional_max_pool##D##d_with_indices(                                   \
        input, FractionalMaxPool##D##dFuncOptions(kernel_size)                                   \
                   .output_size(output_size)                                                     \
                   .output_ratio(output_ratio)                                                   \
                   ._random_samples(_random_samples));                                           \
  }                                                                                              \
  inline Tensor fractional_max_pool##D##d(const Tensor& input, ExpandingArray<D> kernel_size,    \
                                          std::optional<ExpandingArray<D>> output_size,          \
                                          std::optional<ExpandingArray<D, double>> output_ratio, \
                                          const Tensor& _random_samples) {                       \
    return std::get<0>(fractional_max_pool##D##d_with_indices(input, kernel_size, output_size,   \
                                                              output_ratio, _random_samples));   \
  }
OA_FRACTIONAL_POOL(2)
OA_FRACTIONAL_POOL(3)
#undef OA_FRACTIONAL_POOL
#define OA_LP_POOL(D)                                                                         \
  inline Tensor lp_pool##D##d(const Tensor& input, double norm_type,                          \
                              ExpandingArray<D> kernel_size, ExpandingArray<D> stride,        \
                              bool ceil_mode) {                                               \
    return functional::lp_pool##D##d(                                                         \
        input,                                                                                \
        LPPool##D##dFuncOptions(norm_type, kernel_size).stride(stride).ceil_mode(ceil_mode)); \
  }
OA_LP_POOL(1)
OA_LP_POOL(2)
#undef OA_LP_POOL

}  // namespace oneagent::nn::functional::detail
