#include "core/optim/rmsprop.h"

#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void RMSpropOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("alpha", alpha_);
  visitor.field("eps", eps_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("momentum", momentum_);
  visitor.field("centered", centered_);
}
bool operator==(const RMSpropOptions& lhs, const RMSpropOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.alpha_ == rhs.alpha_ && lhs.eps_ == rhs.eps_ &&
         lhs.weight_decay_ == rhs.weight_decay_ && lhs.momentum_ == rhs.momentum_ &&
         lhs.centered_ == rhs.centered_;
}

void RMSpropParamState::visit(FieldVisitor& visitor) {
  visitor.field("step", step_);
  visitor.field("square_avg", square_avg_);
  visitor.field("momentum_buffer", momentum_buffer_);
  visitor.field("grad_avg", grad_avg_);
}
bool operator==(const RMSpropParamState& lhs, const RMSpropParamState& rhs) {
  return lhs.step_ == rhs.step_ && same_tensor(lhs.square_avg_, rhs.square_avg_) &&
         same_tensor(lhs.momentum_buffer_, rhs.momentum_buffer_) &&
         same_tensor(lhs.grad_avg_, rhs.grad_avg_);
}

RMSprop::RMSprop(std::vector<OptimizerParamGroup> param_groups, RMSpropOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<RMSpropOptions>(defaults)) {
  require_not_negative("rmsprop", "lr", defaults.lr());
  require_not_negative("rmsprop", "eps", defaults.eps());
  require_not_negative("rmsprop", "momentum", defaults.momentum());
  require_not_negative("rmsprop", "weight_decay", defaults.weight_decay());
  require_not_negative("rmsprop", "alpha", defaults.alpha());
}

std::unique_ptr<OptimizerParamState> RMSprop::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<RMSpropParamState>();
  state->square_avg(zero_state(parameter));
  return state;
}

Tensor RMSprop::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const RMSpropOptions&>(param_groups_[g].options());
    cpu::RmspropArgs args;
    args.lr = options.lr();
    args.alpha = options.alpha();
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    args.momentum = options.momentum();
    const Tensor none;
    each_gradient(g, "RMSprop", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<RMSpropParamState>(g, p);
      ++state.step();
      if (options.momentum() > 0 && !state.momentum_buffer().defined())
        state.momentum_buffer(zero_state(parameter));
      if (options.centered() && !state.grad_avg().defined()) state.grad_avg(zero_state(parameter));
      update(parameter, gradient,
             {&state.square_avg(), options.momentum() > 0 ? &state.momentum_buffer() : &none,
              options.centered() ? &state.grad_avg() : &none},
             cpu::rmsprop, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
