// LARS (You 2017): momentum over lr l (g + weight_decay x) with a local rate for each parameter, l
// = trust_coefficient |x| / (|g| + weight_decay |x| + eps); 1 where |x| or |g| is 0.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct LARSOptions : public OptimizerCloneableOptions<LARSOptions> {
  LARSOptions(double lr) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr);
  OA_ARG(double, momentum) = 0;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(double, trust_coefficient) = 1e-3;
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(bool, nesterov) = false;
  OA_OPTIM_OPTIONS(LARSOptions);
  std::optional<double> get_momentum() const override { return momentum_; }
  void set_momentum(double value) override { momentum_ = value; }
};

struct LARSParamState : public OptimizerCloneableParamState<LARSParamState> {
  OA_ARG(Tensor, momentum_buffer);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const LARSParamState& lhs, const LARSParamState& rhs);
};

class LARS : public Optimizer {
 public:
  explicit LARS(std::vector<OptimizerParamGroup> param_groups, LARSOptions defaults);
  explicit LARS(std::vector<Tensor> params, LARSOptions defaults)
      : LARS(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
