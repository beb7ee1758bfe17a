// Group normalisation of [N, C, ...]: channels in num_groups equal groups, each normalised over its
// channels and all further dimensions; weight and bias are [C], statistics [N, groups].
#pragma once

#include <array>

#include "core/ops/api.h"

namespace oneagent {

Tensor group_norm(const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight = {},
                  const std::optional<Tensor>& bias = {}, double eps = 1e-05,
                  bool cudnn_enabled = true);

// (y, mean, rstd) of N x C x HxW values; gradients of the statistics count, too.
std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias, int64_t N,
                                                     int64_t C, int64_t HxW, int64_t group,
                                                     double eps);

// Gradients of input, weight and bias; those that output_mask does not ask for are undefined.
std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const std::array<bool, 3>& output_mask);

}  // namespace oneagent
