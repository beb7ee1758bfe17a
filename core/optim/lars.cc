#include "core/optim/lars.h"

#include <cmath>

#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void LARSOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("momentum", momentum_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("trust_coefficient", trust_coefficient_);
  visitor.field("eps", eps_);
  visitor.field("nesterov", nesterov_);
}
bool operator==(const LARSOptions& lhs, const LARSOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.momentum_ == rhs.momentum_ &&
         lhs.weight_decay_ == rhs.weight_decay_ &&
         lhs.trust_coefficient_ == rhs.trust_coefficient_ && lhs.eps_ == rhs.eps_ &&
         lhs.nesterov_ == rhs.nesterov_;
}

void LARSParamState::visit(FieldVisitor& visitor) {
  visitor.field("momentum_buffer", momentum_buffer_);
}
bool operator==(const LARSParamState& lhs, const LARSParamState& rhs) {
  return same_tensor(lhs.momentum_buffer_, rhs.momentum_buffer_);
}

LARS::LARS(std::vector<OptimizerParamGroup> param_groups, LARSOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<LARSOptions>(defaults)) {
  require_not_negative("lars", "lr", defaults.lr());
  require_not_negative("lars", "momentum", defaults.momentum());
  require_not_negative("lars", "weight_decay", defaults.weight_decay());
  require_not_negative("lars", "trust_coefficient", defaults.trust_coefficient());
  require_not_negative("lars", "eps", defaults.eps());
}

std::unique_ptr<OptimizerParamState> LARS::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<LARSParamState>();
  (void)parameter;
  return state;
}

Tensor LARS::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const LARSOptions&>(param_groups_[g].options());
    cpu::SgdArgs args;
    args.lr = 1;  // the buffer holds steps, so that a change of lr does not rescale old ones
    args.momentum = options.momentum();
    args.weight_decay = options.weight_decay();
    args.nesterov = options.nesterov();
    each_gradient(g, "LARS", [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<LARSParamState>(g, p);
      Tensor& buffer = state.momentum_buffer();
      args.first_step = !buffer.defined();
      if (args.first_step && args.momentum != 0) buffer = zero_state(parameter);
      const UpdateCall call(parameter, gradient, {&buffer}, args);
      const cpu::SquareSums sums = call.sums<cpu::UpdateArrays>(cpu::square_sums, args);
      const double x = std::sqrt(sums.parameter), g_norm = std::sqrt(sums.other);
      args.gradient_scale = options.lr();
      if (x > 0 && g_norm > 0)
        args.gradient_scale *=
            options.trust_coefficient() * x / (g_norm + options.weight_decay() * x + options.eps());
      call.run(cpu::sgd, args);
      call.finish();
    });
  }
  return loss;
}

}  // namespace oneagent::optim
