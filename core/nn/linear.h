// y = x W^T + b. Without a generator the thread's default one gives PyTorch's initial distribution
// (kaiming_uniform, a = sqrt 5).
#pragma once

#include "core/nn/module.h"
#include "core/ops/linear.h"

namespace oneagent::nn {

class Linear final : public Module {
 public:
  Linear(int64_t in_features, int64_t out_features, bool with_bias = true);
  Linear(int64_t in_features, int64_t out_features, bool with_bias, Generator& generator);
  Tensor forward(const Tensor& x) const { return linear(x, weight, bias); }
  Tensor forward(const Tensor& x, Activation activation) const {
    return linear(x, weight, bias, activation);
  }  // fused, same bits
  void reset_parameters(Generator& generator);
  void pretty_print(std::ostream& out) const override;

  Tensor weight;  // [out, in]
  Tensor bias;    // [out], or undefined
};

}  // namespace oneagent::nn
