// Adamax (Kingma 2014): Adam with a running maximum u of gradient sizes in place of the mean of
// squares: x -= lr / (1 - beta1^t) m / u.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdamaxOptions : public OptimizerCloneableOptions<AdamaxOptions> {
  using betas_t = std::tuple<double, double>;
  AdamaxOptions(double lr = 2e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 2e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_ARG(double, weight_decay) = 0;
  OA_OPTIM_OPTIONS(AdamaxOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct AdamaxParamState : public OptimizerCloneableParamState<AdamaxParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_inf);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const AdamaxParamState& lhs, const AdamaxParamState& rhs);
};

class Adamax : public Optimizer {
 public:
  explicit Adamax(std::vector<OptimizerParamGroup> param_groups, AdamaxOptions defaults = {});
  explicit Adamax(std::vector<Tensor> params, AdamaxOptions defaults = {})
      : Adamax(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {
  }
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
