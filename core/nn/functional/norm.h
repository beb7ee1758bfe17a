// Normalisations.
#pragma once

#include "core/nn/options/norm.h"

namespace oneagent::nn::functional {

// Running statistics, where given, are used (training false) or updated (true).
Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options = {});
Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {});
Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);
Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);
// x / (k + alpha mean of squares over `size` neighbouring channels) ^ beta (Krizhevsky 2012)
Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options);
Tensor normalize(const Tensor& input, NormalizeFuncOptions options = {});  // x / max(|x|_p, eps)

}  // namespace oneagent::nn::functional
