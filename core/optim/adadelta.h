// Adadelta (Zeiler 2012): steps of sqrt(running mean of squared steps + eps) /
// sqrt(running mean of squared gradients + eps) g, scaled by lr.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdadeltaOptions : public OptimizerCloneableOptions<AdadeltaOptions> {
  AdadeltaOptions(double lr = 1.0) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1.0;
  OA_ARG(double, rho) = 0.9;
  OA_ARG(double, eps) = 1e-6;
  OA_ARG(double, weight_decay) = 0;
  OA_OPTIM_OPTIONS(AdadeltaOptions);
};

struct AdadeltaParamState : public OptimizerCloneableParamState<AdadeltaParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, square_avg);
  OA_ARG(Tensor, acc_delta);

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const AdadeltaParamState& lhs, const AdadeltaParamState& rhs);
};

class Adadelta : public Optimizer {
 public:
  explicit Adadelta(std::vector<OptimizerParamGroup> param_groups, AdadeltaOptions defaults = {});
  explicit Adadelta(std::vector<Tensor> params, AdadeltaOptions defaults = {})
      : Adadelta(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))},
                 defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
