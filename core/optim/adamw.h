// AdamW (Loshchilov 2019): Adam whose weight decay shrinks the parameter by 1 - lr weight_decay and
// leaves the gradient alone.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdamWOptions : public OptimizerCloneableOptions<AdamWOptions> {
  using betas_t = std::tuple<double, double>;
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 1e-2;
  OA_ARG(bool, amsgrad) = false;
  OA_OPTIM_OPTIONS(AdamWOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct AdamWParamState : public OptimizerCloneableParamState<AdamWParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_avg_sq);
  OA_ARG(Tensor, max_exp_avg_sq);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const AdamWParamState& lhs, const AdamWParamState& rhs);
};

class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults = {});
  explicit AdamW(std::vector<Tensor> params, AdamWOptions defaults = {})
      : AdamW(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
