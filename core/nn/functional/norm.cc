#include "core/nn/functional/norm.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
  OA_REQUIRE(input.dim() >= 2, "Expected at least 2 input dimensions, but got ", input.dim());
  OA_REQUIRE(!options.training() || input.numel() > input.size(1),
             "Expected more than 1 value per channel when training, got input size ",
             input.sizes());
  return oneagent::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                              options.training(), options.momentum().value_or(0.0), options.eps(),
                              false);
}

Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options) {
  return oneagent::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                                 options.running_var(), options.use_input_stats(),
                                 options.momentum(), options.eps(), false);
}

Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return oneagent::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                              options.eps());
}

Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options) {
  return oneagent::group_norm(input, options.num_groups(), options.weight(), options.bias(),
                              options.eps());
}

Tensor local_response_norm(const Tensor& input, const LocalResponseNormFuncOptions& options) {
  OA_REQUIRE(input.dim() >= 3, "Expected 3D or higher dimensionality input (got ", input.dim(),
             " dimensions)");
  if (input.numel() == 0) return input;
  // The window slides over the channels: they become a spatial dimension of their own.
  const int64_t size = options.size();
  Tensor mean = (input * input).flatten(2).unsqueeze(1);
  mean = oneagent::pad(mean, {0, 0, size / 2, (size - 1) / 2});
  mean = oneagent::avg_pool2d(mean, {size, 1}, 1).squeeze(1).view(input.sizes());
  return input / (mean * options.alpha() + options.k()).pow(options.beta());
}

Tensor normalize(const Tensor& input, NormalizeFuncOptions options) {
  const Tensor length = input.norm(options.p(), Shape{options.dim()}, true);
  const Tensor floor = full_like(length.detach(), options.eps());
  const Tensor result = input / maximum(length, floor);
  return options.out() ? options.out()->copy_(result) : result;
}

}  // namespace oneagent::nn::functional
