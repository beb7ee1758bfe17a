// Adam (Kingma 2014) and AdamW (Loshchilov 2017), with PyTorch's update: p -= lr / (1 - beta1^t) *
// m / (sqrt(v) / sqrt(1 - beta2^t) + eps).
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // AdamW: the decay shrinks the parameter and leaves the gradient alone
};

class Adam final : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> parameters, AdamOptions options = {});
  explicit Adam(std::vector<ParamGroup> groups, AdamOptions options = {});
  void step() override;
  const AdamOptions& options() const { return options_; }

 private:
  AdamOptions options_;
};

}  // namespace oneagent::optim
