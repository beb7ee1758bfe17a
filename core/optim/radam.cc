#include "core/optim/radam.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void RAdamOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
}
bool operator==(const RAdamOptions& lhs, const RAdamOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_;
}

void RAdamParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_avg_sq", exp_avg_sq_);
}
bool operator==(const RAdamParamState& lhs, const RAdamParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.exp_avg_, rhs.exp_avg_) &&
         same_tensor(lhs.exp_avg_sq_, rhs.exp_avg_sq_);
}

RAdam::RAdam(std::vector<OptimizerParamGroup> param_groups, RAdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<RAdamOptions>(defaults)) {
  require_not_negative("radam", "lr", defaults.lr());
  require_not_negative("radam", "eps", defaults.eps());
  require_not_negative("radam", "weight_decay", defaults.weight_decay());
  require_betas("radam", defaults.betas());
}

std::unique_ptr<OptimizerParamState> RAdam::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<RAdamParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

Tensor RAdam::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const RAdamOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::AdamArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    const double limit = 2 / (1 - args.beta2) - 1;
    each_gradient(g, "RAdam", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<RAdamParamState>(g, p);
      correction.at(++state.step());
      const double power = 1 - correction.second;  // beta2^t
      const double rho = limit - 2 * static_cast<double>(state.step()) * power / correction.second;
      args.plain = rho <= 5;
      args.step = options.lr() / correction.first;
      if (!args.plain)
        args.step *= std::sqrt((rho - 4) * (rho - 2) * limit * correction.second /
                               ((limit - 4) * (limit - 2) * rho));
      update(parameter, gradient, {&state.exp_avg(), &state.exp_avg_sq()}, cpu::adam, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
