// Activations as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/activation.h"

namespace oneagent::nn {

OA_LAYER(ELU, (Tensor input));
OA_LAYER(SELU, (Tensor input));
OA_LAYER(Hardshrink, (const Tensor& input));
class HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  // Error: max_val is not above min_val.
  explicit HardtanhImpl(const HardtanhOptions& options_ = {});
  Tensor forward(Tensor input) const;
  void reset() override;
  void pretty_print(std::ostream& out) const override;
  HardtanhOptions options;
};
TORCH_MODULE(Hardtanh);
OA_LAYER(LeakyReLU, (Tensor input));
OA_PLAIN_LAYER(LogSigmoid, (const Tensor& input));
OA_LAYER_OF(Softmax, (const Tensor& input), (int64_t dim), (dim));
OA_LAYER_OF(Softmin, (const Tensor& input), (int64_t dim), (dim));
OA_LAYER_OF(LogSoftmax, (const Tensor& input), (int64_t dim), (dim));
OA_PLAIN_LAYER(Softmax2d, (const Tensor& input));  // over the channels of images
OA_LAYER(ReLU, (Tensor input));
OA_LAYER(ReLU6, (Tensor input));
OA_LAYER(RReLU, (Tensor input));
OA_LAYER(CELU, (Tensor input));
OA_LAYER(GLU, (const Tensor& input));
OA_LAYER(GELU, (const Tensor& input));
OA_PLAIN_LAYER(SiLU, (const Tensor& input));
OA_PLAIN_LAYER(Mish, (const Tensor& input));
OA_PLAIN_LAYER(Sigmoid, (const Tensor& input));
OA_LAYER(Softplus, (const Tensor& input));
OA_LAYER(Softshrink, (const Tensor& input));
OA_PLAIN_LAYER(Softsign, (const Tensor& input));
OA_PLAIN_LAYER(Tanh, (const Tensor& input));
OA_PLAIN_LAYER(Tanhshrink, (const Tensor& input));
OA_LAYER_OF(Threshold, (Tensor input), (double threshold, double value), (threshold, value));

// A learned slope below 0: one, or one for each channel.
class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options_ = {}) : options(options_) { reset(); }
  Tensor forward(const Tensor& input) const;
  void reset() override;
  void pretty_print(std::ostream& out) const override;

  PReLUOptions options;
  Tensor weight;  // [num_parameters]
};
TORCH_MODULE(PReLU);

}  // namespace oneagent::nn
