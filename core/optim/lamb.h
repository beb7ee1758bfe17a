// LAMB (You 2020, algorithm 2, with phi the identity): the step of AdamW, r = m' / (sqrt(v') + eps)
// + weight_decay x, scaled by |x| / |r| for each parameter (1 where either is 0).
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct LAMBOptions : public OptimizerCloneableOptions<LAMBOptions> {
  using betas_t = std::tuple<double, double>;
  LAMBOptions(double lr = 1e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-6;
  OA_ARG(double, weight_decay) = 0;
  OA_OPTIM_OPTIONS(LAMBOptions);
  std::optional<double> get_momentum() const override { return std::get<0>(betas_); }
  void set_momentum(double value) override { std::get<0>(betas_) = value; }
};

struct LAMBParamState : public OptimizerCloneableParamState<LAMBParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, exp_avg);
  OA_ARG(Tensor, exp_avg_sq);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const LAMBParamState& lhs, const LAMBParamState& rhs);
};

class LAMB : public Optimizer {
 public:
  explicit LAMB(std::vector<OptimizerParamGroup> param_groups, LAMBOptions defaults = {});
  explicit LAMB(std::vector<Tensor> params, LAMBOptions defaults = {})
      : LAMB(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
