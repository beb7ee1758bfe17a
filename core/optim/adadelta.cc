#include "core/optim/adadelta.h"

#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void AdadeltaOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("rho", rho_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
}
bool operator==(const AdadeltaOptions& lhs, const AdadeltaOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.rho_ == rhs.rho_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_;
}

void AdadeltaParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("square_avg", square_avg_);
  visitor.field("acc_delta", acc_delta_);
}
bool operator==(const AdadeltaParamState& lhs, const AdadeltaParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.square_avg_, rhs.square_avg_) &&
         same_tensor(lhs.acc_delta_, rhs.acc_delta_);
}

Adadelta::Adadelta(std::vector<OptimizerParamGroup> param_groups, AdadeltaOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdadeltaOptions>(defaults)) {
  require_not_negative("adadelta", "lr", defaults.lr());
  require_not_negative("adadelta", "rho", defaults.rho());
  require_not_negative("adadelta", "eps", defaults.eps());
  require_not_negative("adadelta", "weight_decay", defaults.weight_decay());
}

std::unique_ptr<OptimizerParamState> Adadelta::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdadeltaParamState>();
  state->square_avg(zero_state(parameter));
  state->acc_delta(zero_state(parameter));
  return state;
}

Tensor Adadelta::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const AdadeltaOptions&>(param_groups_[g].options());
    cpu::AdadeltaArgs args;
    args.lr = options.lr();
    args.rho = options.rho();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    each_gradient(g, "Adadelta", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<AdadeltaParamState>(g, p);
      ++state.step();
      update(parameter, gradient, {&state.square_avg(), &state.acc_delta()}, cpu::adadelta, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
