// Stochastic gradient descent with momentum, PyTorch's form: v = momentum v + (1 - dampening) g,
// x -= lr v (Nesterov: lr (g + momentum v)); v starts as the first gradient.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr);
  OA_ARG(double, momentum) = 0;
  OA_ARG(double, dampening) = 0;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(bool, nesterov) = false;
  OA_OPTIM_OPTIONS(SGDOptions);
  std::optional<double> get_momentum() const override { return momentum_; }
  void set_momentum(double value) override { momentum_ = value; }
};

struct SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  OA_ARG(Tensor, momentum_buffer);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const SGDParamState& lhs, const SGDParamState& rhs);
};

class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults)
      : SGD(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;

 private:
  void step_sparse(size_t g, size_t p, const Tensor& parameter, const Tensor& gradient,
                   const SGDOptions& options);
};

}  // namespace oneagent::optim
