// Limited-memory BFGS (Nocedal 1980): steps along -H g, with the inverse Hessian H of the last
// history_size steps. step() needs a closure that clears the gradients, computes the loss and calls
// backward(); it is called several times. line_search_fn: none (steps of lr) or "strong_wolfe"
// (Nocedal and Wright 2006, algorithms 3.5 and 3.6). One parameter group only.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct LBFGSOptions : public OptimizerCloneableOptions<LBFGSOptions> {
  LBFGSOptions(double lr = 1) : lr_(lr) {}  // NOLINT: implicit like libtorch's
  OA_ARG(double, lr) = 1;
  OA_ARG(int64_t, max_iter) = 20;
  OA_ARG(std::optional<int64_t>, max_eval) = std::nullopt;  // none: 5 / 4 max_iter
  OA_ARG(double, tolerance_grad) = 1e-7;
  OA_ARG(double, tolerance_change) = 1e-9;
  OA_ARG(int64_t, history_size) = 100;
  OA_ARG(std::optional<std::string>, line_search_fn) = std::nullopt;
  OA_OPTIM_OPTIONS(LBFGSOptions);
};

// Of all parameters together; it is kept as the first one's.
struct LBFGSParamState : public OptimizerCloneableParamState<LBFGSParamState> {
  OA_ARG(int64_t, func_evals) = 0;
  OA_ARG(int64_t, n_iter) = 0;
  OA_ARG(double, t) = 0;
  OA_ARG(double, prev_loss) = 0;
  OA_ARG(Tensor, d);
  OA_ARG(Tensor, H_diag);
  OA_ARG(Tensor, prev_flat_grad);
  OA_ARG(std::deque<Tensor>, old_dirs);  // changes of the gradient
  OA_ARG(std::deque<Tensor>, old_stps);  // steps
  OA_ARG(std::deque<Tensor>, ro);        // 1 / (change . step)
  OA_ARG(std::optional<std::vector<Tensor>>, al) = std::nullopt;

 public:
  void visit(FieldVisitor& visitor) override;
  friend bool operator==(const LBFGSParamState& lhs, const LBFGSParamState& rhs);
};

class LBFGS : public Optimizer {
 public:
  explicit LBFGS(std::vector<OptimizerParamGroup> param_groups, LBFGSOptions defaults = {});
  explicit LBFGS(std::vector<Tensor> params, LBFGSOptions defaults = {})
      : LBFGS(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const override;

 private:
  const LBFGSOptions& options() const;
  Tensor flat_gradient() const;
  void move(double length, const Tensor& direction);  // parameters += length direction
};

}  // namespace oneagent::optim
