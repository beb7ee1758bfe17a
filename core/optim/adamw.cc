#include "core/optim/adamw.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void AdamWOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("amsgrad", amsgrad_);
}
bool operator==(const AdamWOptions& lhs, const AdamWOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_ && lhs.amsgrad_ == rhs.amsgrad_;
}

void AdamWParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_avg_sq", exp_avg_sq_);
  visitor.field("max_exp_avg_sq", max_exp_avg_sq_);
}
bool operator==(const AdamWParamState& lhs, const AdamWParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.exp_avg_, rhs.exp_avg_) &&
         same_tensor(lhs.exp_avg_sq_, rhs.exp_avg_sq_) &&
         same_tensor(lhs.max_exp_avg_sq_, rhs.max_exp_avg_sq_);
}

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamWOptions>(defaults)) {
  require_not_negative("adamw", "lr", defaults.lr());
  require_not_negative("adamw", "eps", defaults.eps());
  require_not_negative("adamw", "weight_decay", defaults.weight_decay());
  require_betas("adamw", defaults.betas());
}

std::unique_ptr<OptimizerParamState> AdamW::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdamWParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

Tensor AdamW::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const AdamWOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::AdamArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.shrink = 1 - options.lr() * options.weight_decay();
    each_gradient(g, "AdamW", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<AdamWParamState>(g, p);
      if (options.amsgrad() && !state.max_exp_avg_sq().defined())
        state.max_exp_avg_sq(zero_state(parameter));
      correction.at(++state.step());
      args.step = options.lr() / correction.first;
      args.root = 1 / std::sqrt(correction.second);
      const Tensor none;
      update(parameter, gradient,
             {&state.exp_avg(), &state.exp_avg_sq(),
              options.amsgrad() ? &state.max_exp_avg_sq() : &none},
             cpu::adam, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
