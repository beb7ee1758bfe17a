#include "core/optim/nadam.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void NAdamOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("momentum_decay", momentum_decay_);
}
bool operator==(const NAdamOptions& lhs, const NAdamOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_ && lhs.momentum_decay_ == rhs.momentum_decay_;
}

void NAdamParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("mu_product", mu_product_);
  visitor.field("exp_avg", exp_avg_);
  visitor.field("exp_avg_sq", exp_avg_sq_);
}
bool operator==(const NAdamParamState& lhs, const NAdamParamState& rhs) {
  return lhs.step_ == rhs.step_ && lhs.mu_product_ == rhs.mu_product_ &&
         same_tensor(lhs.exp_avg_, rhs.exp_avg_) && same_tensor(lhs.exp_avg_sq_, rhs.exp_avg_sq_);
}

NAdam::NAdam(std::vector<OptimizerParamGroup> param_groups, NAdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<NAdamOptions>(defaults)) {
  require_not_negative("nadam", "lr", defaults.lr());
  require_not_negative("nadam", "eps", defaults.eps());
  require_not_negative("nadam", "weight_decay", defaults.weight_decay());
  require_not_negative("nadam", "momentum_decay", defaults.momentum_decay());
  require_betas("nadam", defaults.betas());
}

std::unique_ptr<OptimizerParamState> NAdam::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<NAdamParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

Tensor NAdam::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const NAdamOptions&>(param_groups_[g].options());
    BiasCorrection correction(options.betas());
    cpu::AdamArgs args;
    std::tie(args.beta1, args.beta2) = options.betas();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    const auto momentum_at = [&](double t) {
      return args.beta1 * (1 - 0.5 * std::pow(0.96, t * options.momentum_decay()));
    };
    each_gradient(g, "NAdam", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<NAdamParamState>(g, p);
      correction.at(++state.step());
      const auto t = static_cast<double>(state.step());
      const double now = momentum_at(t), next = momentum_at(t + 1);
      state.mu_product() *= now;
      args.step = options.lr() * next / (1 - state.mu_product() * next);
      args.gradient_step = options.lr() * (1 - now) / (1 - state.mu_product());
      args.root = 1 / std::sqrt(correction.second);
      update(parameter, gradient, {&state.exp_avg(), &state.exp_avg_sq()}, cpu::adam, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
