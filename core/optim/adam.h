// Adam (Kingma 2014): x -= lr / (1 - beta1^t) m / (sqrt(v / (1 - beta2^t)) + eps), with running
// means m of gradients and v of their squares. amsgrad (Reddi 2018) divides by the largest v so
// far. weight_decay is added to the gradient.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdamOptions : public OptimizerCloneableOptions<AdamOptions> {
  using betas_t = std::tuple<double, double>;
  AdamOptions(double lr = 1e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(bool, amsgrad) = false;
  OA_OPTIM_OPTIONS(AdamOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct AdamParamState : public OptimizerCloneableParamState<AdamParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_avg_sq);
  OA_ARG(Tensor, max_exp_avg_sq);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const AdamParamState& lhs, const AdamParamState& rhs);
};

class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults = {});
  explicit Adam(std::vector<Tensor> params, AdamOptions defaults = {})
      : Adam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
