// Adagrad (Duchi 2011): x -= lr / (1 + (t - 1) lr_decay) g / (sqrt(sum of squares) + eps).
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-2;
  OA_ARG(double, lr_decay) = 0;
  OA_ARG(double, weight_decay) = 0;
  OA_ARG(double, initial_accumulator_value) = 0;
  OA_ARG(double, eps) = 1e-10;
  OA_OPTIM_OPTIONS(AdagradOptions);
};

struct AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  OA_ARG(Tensor, sum);
  OA_ARG(int64_t, step) = 0;

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const AdagradParamState& lhs, const AdagradParamState& rhs);
};

class Adagrad : public Optimizer {
 public:
  explicit Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults = {});
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {})
      : Adagrad(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))},
                defaults) {}
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;

 private:
  static void step_sparse(const Tensor& parameter, const Tensor& gradient, const Tensor& sums,
                          double step, const AdagradOptions& options);
};

}  // namespace oneagent::optim
