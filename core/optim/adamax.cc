#include "core/optim/adamax.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void AdamaxOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
}
bool operator==(const AdamaxOptions& lhs, const AdamaxOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_;
}

void AdamaxParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_inf", exp_inf_);
}
bool operator==(const AdamaxParamState& lhs, const AdamaxParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.exp_avg_, rhs.exp_avg_) &&
         same_tensor(lhs.exp_inf_, rhs.exp_inf_);
}

Adamax::Adamax(std::vector<OptimizerParamGroup> param_groups, AdamaxOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamaxOptions>(defaults)) {
  require_not_negative("adamax", "lr", defaults.lr());
  require_not_negative("adamax", "eps", defaults.eps());
  require_not_negative("adamax", "weight_decay", defaults.weight_decay());
  require_betas("adamax", defaults.betas());
}

std::unique_ptr<OptimizerParamState> Adamax::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdamaxParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_inf(zero_state(parameter));
  return state;
}

Tensor Adamax::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const AdamaxOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::AdamaxArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    each_gradient(g, "Adamax", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<AdamaxParamState>(g, p);
      correction.at(++state.step());
      args.step = options.lr() / correction.first;
      update(parameter, gradient, {&state.exp_avg(), &state.exp_inf()}, cpu::adamax, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
