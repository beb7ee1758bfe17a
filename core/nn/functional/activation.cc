#include "core/nn/functional/activation.h"

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::nn::functional {
namespace {

Tensor as(const Tensor& input, const std::optional<DType>& dtype) {
  return dtype ? input.to(*dtype) : input;
}

}  // namespace

Tensor elu(Tensor input, const ELUFuncOptions& options) {
  return options.inplace() ? input.elu_(options.alpha()) : input.elu(options.alpha());
}
Tensor selu(Tensor input, const SELUFuncOptions& options) {
  return options.inplace() ? input.selu_() : input.selu();
}
Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options) {
  return input.hardshrink(options.lambda());
}
Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options) {
  return options.inplace() ? input.hardtanh_(options.min_val(), options.max_val())
                           : input.hardtanh(options.min_val(), options.max_val());
}
Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options) {
  return options.inplace() ? input.leaky_relu_(options.negative_slope())
                           : input.leaky_relu(options.negative_slope());
}
Tensor logsigmoid(const Tensor& input) { return input.log_sigmoid(); }

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  const Tensor noise = -empty_like(logits.detach()).exponential_().log();
  const Tensor soft = ((logits + noise) / options.tau()).softmax(options.dim());
  if (!options.hard()) return soft;
  const Tensor index = soft.detach().argmax(options.dim(), true);
  const Tensor one_hot =
      zeros_like(soft.detach()).scatter(options.dim(), index, ones_like(soft.detach()));
  return one_hot - soft.detach() + soft;
}
Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return as(input, options.dtype()).softmax(options.dim());
}
Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return as(-input, options.dtype()).softmax(options.dim());
}
Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return as(input, options.dtype()).log_softmax(options.dim());
}
Tensor glu(const Tensor& input, const GLUFuncOptions& options) {
  OA_REQUIRE(input.dim() != 0, "glu: a scalar has no dimension to halve");
  return input.glu(options.dim());
}
Tensor gelu(const Tensor& input, const GELUFuncOptions& options) {
  return input.gelu(options.approximate());
}
Tensor silu(const Tensor& input) { return input.silu(); }
Tensor mish(const Tensor& input) { return input.mish(); }
Tensor prelu(const Tensor& input, const Tensor& weight) { return input.prelu(weight); }
Tensor relu(Tensor input, const ReLUFuncOptions& options) {
  return options.inplace() ? input.threshold_(0, 0) : input.relu();
}
Tensor relu6(Tensor input, const ReLU6FuncOptions& options) {
  return options.inplace() ? input.relu6_() : input.relu6();
}
Tensor rrelu(Tensor input, const RReLUFuncOptions& options) {
  return options.inplace() ? input.rrelu_(options.lower(), options.upper(), options.training())
                           : input.rrelu(options.lower(), options.upper(), options.training());
}
Tensor celu(Tensor input, const CELUFuncOptions& options) {
  return options.inplace() ? input.celu_(options.alpha()) : input.celu(options.alpha());
}
Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options) {
  return input.softplus(options.beta(), options.threshold());
}
Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options) {
  return input.softshrink(options.lambda());
}
Tensor softsign(const Tensor& input) { return oneagent::softsign(input); }
Tensor tanhshrink(const Tensor& input) { return oneagent::tanhshrink(input); }
Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? input.threshold_(options.threshold(), options.value())
                           : input.threshold(options.threshold(), options.value());
}

}  // namespace oneagent::nn::functional
