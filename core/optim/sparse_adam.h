// Adam for sparse gradients, as torch.optim.SparseAdam: only the rows of the gradient, and their
// means, are read and written, so that a step takes time by those rows alone. Rows without a
// gradient keep their means.
#pragma once

#include "core/optim/adam.h"

namespace oneagent::optim {

struct SparseAdamOptions : public OptimizerCloneableOptions<SparseAdamOptions> {
  using betas_t = std::tuple<double, double>;
  SparseAdamOptions(double lr = 1e-3) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1e-3;
  OA_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  OA_ARG(double, eps) = 1e-8;
  OA_OPTIM_OPTIONS(SparseAdamOptions);
};

class SparseAdam : public Optimizer {
 public:
  explicit SparseAdam(std::vector<OptimizerParamGroup> param_groups,
                      SparseAdamOptions defaults = {});
  explicit SparseAdam(std::vector<Tensor> params, SparseAdamOptions defaults = {})
      : SparseAdam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))},
                   defaults) {}
  // Error: a dense gradient.
  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;
};

}  // namespace oneagent::optim
