// RAdam (Liu 2020): Adam whose adaptive step is scaled by r_t, the ratio of the variances of its
// denominator, and left out while there are too few samples for one (rho_t <= 5).
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct RAdamOptions : public OptimizerCloneableOptions<RAdamOptions> {
  using betas_t = std::tuple<double, double>;
  RAdamOptions(double lr = 1e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 0;
  OA_OPTIM_OPTIONS(RAdamOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct RAdamParamState : public OptimizerCloneableParamState<RAdamParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_avg_sq);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const RAdamParamState& lhs, const RAdamParamState& rhs);
};

class RAdam : public Optimizer {
 public:
  explicit RAdam(std::vector<OptimizerParamGroup> param_groups, RAdamOptions defaults = {});
  explicit RAdam(std::vector<Tensor> params, RAdamOptions defaults = {})
      : RAdam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
