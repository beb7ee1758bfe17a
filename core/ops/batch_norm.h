// Batch normalisation of [N, C, ...] over all dimensions but the second: y = (x - mean) /
// sqrt(variance
// + eps) weight + bias; parameters and statistics are [C]. Training uses the batch's own
// statistics, variance with divisor n, and moves the running ones in place: running = (1 -
// momentum) running + momentum batch, variance with divisor n - 1. Otherwise the running ones are
// used.
#pragma once

#include <array>

#include "core/ops/api.h"

namespace oneagent {

Tensor batch_norm(const Tensor& input, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean,
                  const std::optional<Tensor>& running_var, bool training, double momentum,
                  double eps, bool cudnn_enabled);

// (y, mean, 1 / sqrt(variance + eps)); the last two have no elements when not training.
std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias,
                                                     const std::optional<Tensor>& running_mean,
                                                     const std::optional<Tensor>& running_var,
                                                     bool training, double momentum, double eps);

// Gradients of input, weight and bias; those that output_mask does not ask for are undefined.
std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, const std::array<bool, 3>& output_mask);

// Each image and channel on its own; running statistics are averaged over the images.
Tensor instance_norm(const Tensor& input, const std::optional<Tensor>& weight,
                     const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean,
                     const std::optional<Tensor>& running_var, bool use_input_stats,
                     double momentum, double eps, bool cudnn_enabled);

}  // namespace oneagent
