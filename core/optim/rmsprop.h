// RMSprop (Hinton 2012; centered: Graves 2013): x -= lr g / (sqrt(running mean of squares) + eps),
// where centered takes the variance instead of the mean of squares, and momentum sums such steps.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct RMSpropOptions : public OptimizerCloneableOptions<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-2;
  OA_ARG(double, alpha) = 0.99;
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(double, momentum) = 0;
  OA_ARG(bool, centered) = false;
  OA_OPTIM_OPTIONS(RMSpropOptions);
  std::optional<double> get_momentum() const override { return momentum_; }
  void set_momentum(double value) override { momentum_ = value; }
};

struct RMSpropParamState : public OptimizerCloneableParamState<RMSpropParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, square_avg);
  OA_ARG(Tensor, momentum_buffer);
  OA_ARG(Tensor, grad_avg);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const RMSpropParamState& lhs, const RMSpropParamState& rhs);
};

class RMSprop : public Optimizer {
 public:
  explicit RMSprop(std::vector<OptimizerParamGroup> param_groups, RMSpropOptions defaults = {});
  explicit RMSprop(std::vector<Tensor> params, RMSpropOptions defaults = {})
      : RMSprop(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))},
                defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
