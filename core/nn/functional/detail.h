// nn::functional::detail: the functions that libtorch's options are unpacked into, for programs
// that call them with the values one by one. Shapes, units and errors are those of the forms with
// options, which do the work.
#pragma once

#include "core/nn/functional.h"
#include "core/ops/conv_transpose.h"

namespace oneagent::nn::functional::detail {

// Activations
inline Tensor elu(Tensor input, double alpha, bool inplace) {
  return functional::elu(input, ELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor selu(Tensor input, bool inplace) { return functional::selu(input, inplace); }
inline Tensor hardshrink(const Tensor& input, double lambda) {
  return functional::hardshrink(input, lambda);
}
inline Tensor hardtanh(Tensor input, double min_val, double max_val, bool inplace) {
  return functional::hardtanh(
      input, HardtanhFuncOptions().min_val(min_val).max_val(max_val).inplace(inplace));
}
inline Tensor leaky_relu(Tensor input, double negative_slope, bool inplace) {
  return functional::leaky_relu(
      input, LeakyReLUFuncOptions().negative_slope(negative_slope).inplace(inplace));
}
inline Tensor gumbel_softmax(const Tensor& logits, double tau, bool hard, int dim) {
  return functional::gumbel_softmax(logits,
                                    GumbelSoftmaxFuncOptions().tau(tau).hard(hard).dim(dim));
}
inline Tensor softmax(const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return functional::softmax(input, SoftmaxFuncOptions(dim).dtype(dtype));
}
inline Tensor softmin(const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return functional::softmin(input, SoftminFuncOptions(dim).dtype(dtype));
}
inline Tensor log_softmax(const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return functional::log_softmax(input, LogSoftmaxFuncOptions(dim).dtype(dtype));
}
inline Tensor glu(const Tensor& input, int64_t dim) { return functional::glu(input, dim); }
inline Tensor gelu(const Tensor& input, std::string approximate) {
  return functional::gelu(input, GELUFuncOptions().approximate(std::move(approximate)));
}
inline Tensor relu(Tensor input, bool inplace) { return functional::relu(input, inplace); }
inline Tensor relu6(Tensor input, bool inplace) { return functional::relu6(input, inplace); }
inline Tensor rrelu(Tensor input, double lower, double upper, bool training, bool inplace) {
  return functional::rrelu(
      input, RReLUFuncOptions().lower(lower).upper(upper).training(training).inplace(inplace));
}
inline Tensor celu(Tensor input, double alpha, bool inplace) {
  return functional::celu(input, CELUFuncOptions().alpha(alpha).inplace(inplace));
}
inline Tensor softplus(const Tensor& input, double beta, double threshold) {
  return functional::softplus(input, SoftplusFuncOptions().beta(beta).threshold(threshold));
}
inline Tensor softshrink(const Tensor& input, double lambda) {
  return functional::softshrink(input, lambda);
}
inline Tensor threshold(Tensor input, double threshold, double value, bool inplace) {
  return functional::threshold(input, ThresholdFuncOptions(threshold, value).inplace(inplace));
}

// Norms
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         Tensor weight, Tensor bias, bool training, std::optional<double> momentum,
                         double eps) {
  return functional::batch_norm(
      input, running_mean, running_var,
      BatchNormFuncOptions().weight(weight).bias(bias).training(training).momentum(momentum).eps(
          eps));
}
inline Tensor instance_norm(const Tensor& input, const Tensor& running_mean,
                            const Tensor& running_var, const Tensor& weight, const Tensor& bias,
                            bool use_input_stats, double momentum, double eps) {
  return functional::instance_norm(input, InstanceNormFuncOptions()
                                              .running_mean(running_mean)
                                              .running_var(running_var)
                                              .weight(weight)
                                              .bias(bias)
                                              .use_input_stats(use_input_stats)
                                              .momentum(momentum)
                                              .eps(eps));
}
inline Tensor layer_norm(const Tensor& input, const std::vector<int64_t>& normalized_shape,
                         const Tensor& weight, const Tensor& bias, double eps) {
  return functional::layer_norm(
      input, LayerNormFuncOptions(normalized_shape).weight(weight).bias(bias).eps(eps));
}
inline Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight,
                         const Tensor& bias, double eps) {
  return functional::group_norm(
      input, GroupNormFuncOptions(num_groups).weight(weight).bias(bias).eps(eps));
}
inline Tensor local_response_norm(const Tensor& input, int64_t size, double alpha, double beta,
                                  double k) {
  return functional::local_response_norm(
      input, LocalResponseNormFuncOptions(size).alpha(alpha).beta(beta).k(k));
}
inline Tensor normalize(const Tensor& input, double p, int64_t dim, double eps,
                        std::optional<Tensor> out) {
  return functional::normalize(input, NormalizeFuncOptions().p(p).dim(dim).eps(eps).out(out));
}

// Distances, dropout and embeddings
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  return functional::cosine_similarity(x1, x2, CosineSimilarityFuncOptions().dim(dim).eps(eps));
}
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps,
                                bool keepdim) {
  return functional::pairwise_distance(
      x1, x2, PairwiseDistanceFuncOptions().p(p).eps(eps).keepdim(keepdim));
}
#define OA_DROPOUT(name, Options)                                                       \
  inline Tensor name(Tensor input, double p, bool training, bool inplace) {             \
    return functional::name(input, Options().p(p).training(training).inplace(inplace)); \
  }
OA_DROPOUT(dropout, DropoutFuncOptions)
OA_DROPOUT(dropout2d, Dropout2dFuncOptions)
OA_DROPOUT(dropout3d, Dropout3dFuncOptions)
OA_DROPOUT(alpha_dropout, AlphaDropoutFuncOptions)
OA_DROPOUT(feature_alpha_dropout, FeatureAlphaDropoutFuncOptions)
#undef OA_DROPOUT
inline Tensor embedding(const Tensor& input, const Tensor& weight,
                        std::optional<int64_t> padding_idx, std::optional<double> max_norm,
                        double norm_type, bool scale_grad_by_freq, bool sparse) {
  return functional::embedding(input, weight,
                               EmbeddingFuncOptions()
                                   .padding_idx(padding_idx)
                                   .max_norm(max_norm)
                                   .norm_type(norm_type)
                                   .scale_grad_by_freq(scale_grad_by_freq)
                                   .sparse(sparse));
}
inline Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets,
                            std::optional<double> max_norm, double norm_type,
                            bool scale_grad_by_freq, EmbeddingBagMode mode, bool sparse,
                            const Tensor& per_sample_weights, bool include_last_offset,
                            std::optional<int64_t> padding_idx) {
  return functional::embedding_bag(input, weight,
                                   EmbeddingBagFuncOptions()
                                       .offsets(offsets)
                                       .max_norm(max_norm)
                                       .norm_type(norm_type)
                                       .scale_grad_by_freq(scale_grad_by_freq)
                                       .mode(mode)
                                       .sparse(sparse)
                                       .per_sample_weights(per_sample_weights)
                                       .include_last_offset(include_last_offset)
                                       .padding_idx(padding_idx));
}

// Convolutions, windows and images
#define OA_CONV(D)                                                                             \
  inline Tensor conv##D##d(const Tensor& input, const Tensor& weight, const Tensor& bias,      \
                           ExpandingArray<D> stride,                                           \
                           const Conv##D##dFuncOptions::padding_t& padding,                    \
                           ExpandingArray<D> dilation, int64_t groups) {                       \
    Conv##D##dFuncOptions options;                                                             \
    options.padding() = padding;                                                               \
    return functional::conv##D##d(                                                             \
        input, weight, options.bias(bias).stride(stride).dilation(dilation).groups(groups));   \
  }                                                                                            \
  inline Tensor conv_transpose##D##d(                                                          \
      const Tensor& input, const Tensor& weight, const Tensor& bias, IntArrayRef stride,       \
      IntArrayRef padding, IntArrayRef output_padding, int64_t groups, IntArrayRef dilation) { \
    return oneagent::conv_transpose##D##d(input, weight, bias, Shape(stride), Shape(padding),  \
                                          Shape(output_padding), groups, Shape(dilation));     \
  }
OA_CONV(1)
OA_CONV(2)
OA_CONV(3)
#undef OA_CONV
inline Tensor fold(const Tensor& input, ExpandingArray<2> output_size,
                   ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                   ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::fold(
      input,
      FoldFuncOptions(output_size, kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor unfold(const Tensor& input, ExpandingArray<2> kernel_size, ExpandingArray<2> dilation,
                     ExpandingArray<2> padding, ExpandingArray<2> stride) {
  return functional::unfold(
      input, UnfoldFuncOptions(kernel_size).dilation(dilation).padding(padding).stride(stride));
}
inline Tensor pad(const Tensor& input, IntArrayRef pad, PadFuncOptions::mode_t mode, double value) {
  return functional::pad(input, PadFuncOptions(pad.vec()).mode(mode).value(value));
}
inline Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor) {
  return functional::pixel_shuffle(input, upscale_factor);
}
inline Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor) {
  return functional::pixel_unshuffle(input, downscale_factor);
}
inline Tensor interpolate(const Tensor& input, const std::optional<std::vector<int64_t>>& size,
                          const std::optional<std::vector<double>>& scale_factor,
                          InterpolateFuncOptions::mode_t mode, std::optional<bool> align_corners,
                          std::optional<bool> recompute_scale_factor, bool antialias) {
  return functional::interpolate(input, InterpolateFuncOptions()
                                            .size(size)
                                            .scale_factor(scale_factor)
                                            .mode(mode)
                                            .align_corners(align_corners)
                                            .recompute_scale_factor(recompute_scale_factor)
                                            .antialias(antialias));
}
inline Tensor grid_sample(const Tensor& input, const Tensor& grid,
                          GridSampleFuncOptions::mode_t mode,
                          GridSampleFuncOptions::padding_mode_t padding_mode,
                          std::optional<bool> align_corners) {
  return functional::grid_sample(
      input, grid,
      GridSampleFuncOptions().mode(mode).padding_mode(padding_mode).align_corners(align_corners));
}

}  // namespace oneagent::nn::functional::detail
