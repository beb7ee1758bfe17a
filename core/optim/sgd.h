// Stochastic gradient descent with momentum, PyTorch's form: v = momentum v + (1 - dampening) g; p
// -= lr v (Nesterov: lr (g + momentum v)).
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

class SGD final : public Optimizer {
 public:
  explicit SGD(std::vector<Tensor> parameters, SGDOptions options = {});
  explicit SGD(std::vector<ParamGroup> groups, SGDOptions options = {});
  void step() override;

 private:
  SGDOptions options_;
};

}  // namespace oneagent::optim
