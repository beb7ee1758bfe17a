#include "core/optim/lamb.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void LAMBOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
}
bool operator==(const LAMBOptions& lhs, const LAMBOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_;
}

void LAMBParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_avg_sq", exp_avg_sq_);
}
bool operator==(const LAMBParamState& lhs, const LAMBParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.exp_avg_, rhs.exp_avg_) &&
         same_tensor(lhs.exp_avg_sq_, rhs.exp_avg_sq_);
}

LAMB::LAMB(std::vector<OptimizerParamGroup> param_groups, LAMBOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<LAMBOptions>(defaults)) {
  require_not_negative("lamb", "lr", defaults.lr());
  require_not_negative("lamb", "eps", defaults.eps());
  require_not_negative("lamb", "weight_decay", defaults.weight_decay());
  require_betas("lamb", defaults.betas());
}

std::unique_ptr<OptimizerParamState> LAMB::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<LAMBParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

Tensor LAMB::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const LAMBOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::LambArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    each_gradient(g, "LAMB", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<LAMBParamState>(g, p);
      correction.at(++state.step());
      args.root1 = 1 / correction.first;
      args.root2 = 1 / std::sqrt(correction.second);
      const UpdateCall call(parameter, gradient, {&state.exp_avg(), &state.exp_avg_sq()}, args);
      const cpu::SquareSums sums = call.sums(cpu::lamb_moments, args);
      args.step = options.lr();
      if (sums.parameter > 0 && sums.other > 0) args.step *= std::sqrt(sums.parameter / sums.other);
      call.run(cpu::lamb_step, args);
      call.finish();
    });
  }
  return loss;
}

}  // namespace oneagent::optim
