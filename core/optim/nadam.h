// NAdam (Dozat 2016): Adam with Nesterov momentum, whose weight mu_t = beta1 (1 - 0.96^(t
// momentum_decay) / 2) grows towards beta1.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct NAdamOptions : public OptimizerCloneableOptions<NAdamOptions> {
  using betas_t = std::tuple<double, double>;
  NAdamOptions(double lr = 2e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 2e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(double, momentum_decay) = 4e-3;
  OA_OPTIM_OPTIONS(NAdamOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct NAdamParamState : public OptimizerCloneableParamState<NAdamParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(double, mu_product) = 1;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_avg_sq);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const NAdamParamState& lhs, const NAdamParamState& rhs);
};

class NAdam : public Optimizer {
 public:
  explicit NAdam(std::vector<OptimizerParamGroup> param_groups, NAdamOptions defaults = {});
  explicit NAdam(std::vector<Tensor> params, NAdamOptions defaults = {})
      : NAdam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
