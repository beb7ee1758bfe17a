#include "core/optim/adam.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void AdamOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("amsgrad", amsgrad_);
}
bool operator==(const AdamOptions& lhs, const AdamOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_ && lhs.amsgrad_ == rhs.amsgrad_;
}

void AdamParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_avg_sq", exp_avg_sq_);
  visitor.field("max_exp_avg_sq", max_exp_avg_sq_);
}
bool operator==(const AdamParamState& lhs, const AdamParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.exp_avg_, rhs.exp_avg_) &&
         same_tensor(lhs.exp_avg_sq_, rhs.exp_avg_sq_) &&
         same_tensor(lhs.max_exp_avg_sq_, rhs.max_exp_avg_sq_);
}

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamOptions>(defaults)) {
  require_not_negative("adam", "lr", defaults.lr());
  require_not_negative("adam", "eps", defaults.eps());
  require_not_negative("adam", "weight_decay", defaults.weight_decay());
  require_betas("adam", defaults.betas());
}

std::unique_ptr<OptimizerParamState> Adam::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdamParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

Tensor Adam::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const AdamOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::AdamArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    each_gradient(g, "Adam", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<AdamParamState>(g, p);
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
