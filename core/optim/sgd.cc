#include "core/optim/sgd.h"

#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void SGDOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("momentum", momentum_);
  visitor.field("dampening", dampening_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("nesterov", nesterov_);
}
bool operator==(const SGDOptions& lhs, const SGDOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.momentum_ == rhs.momentum_ && lhs.dampening_ == rhs.dampening_ &&
         lhs.weight_decay_ == rhs.weight_decay_ && lhs.nesterov_ == rhs.nesterov_;
}

void SGDParamState::visit(FieldVisitor& visitor) {
  visitor.field("momentum_buffer", momentum_buffer_);
}
bool operator==(const SGDParamState& lhs, const SGDParamState& rhs) {
  return same_tensor(lhs.momentum_buffer_, rhs.momentum_buffer_);
}

SGD::SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<SGDOptions>(defaults)) {
  require_not_negative("sgd", "lr", defaults.lr());
  require_not_negative("sgd", "momentum", defaults.momentum());
  require_not_negative("sgd", "weight_decay", defaults.weight_decay());
  OA_REQUIRE(!defaults.nesterov() || (defaults.momentum() > 0 && defaults.dampening() == 0),
             "Nesterov momentum requires a momentum and zero dampening, were ", defaults.momentum(),
             " and ", defaults.dampening());
}

std::unique_ptr<OptimizerParamState> SGD::make_state(const Tensor&) const {
  return std::make_unique<SGDParamState>();
}

// Without momentum only the rows of the gradient are read and written. The momentum is a sparse
// tensor, too, of all rows that ever had a gradient.
void SGD::step_sparse(size_t g, size_t p, const Tensor& parameter, const Tensor& gradient,
                      const SGDOptions& options) {
  OA_REQUIRE(options.weight_decay() == 0,
             "sgd: weight_decay option is not compatible with sparse gradients");
  Tensor step = gradient.detach();
  if (options.momentum() != 0) {
    Tensor& buffer = state_of<SGDParamState>(g, p).momentum_buffer();
    if (!buffer.defined())
      buffer = step.clone();
    else
      buffer.mul_(options.momentum()).add_(step, 1 - options.dampening());
    step = options.nesterov() ? step.add(buffer, options.momentum()) : buffer;
  }
  parameter.detach().add_(step, -options.lr());
}

Tensor SGD::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const SGDOptions&>(param_groups_[g].options());
    cpu::SgdArgs args;
    args.lr = options.lr();
    args.momentum = options.momentum();
    args.dampening = options.dampening();
    args.weight_decay = options.weight_decay();
    args.nesterov = options.nesterov();
    each_gradient(g, nullptr, [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      if (gradient.is_sparse()) [[unlikely]]
        return step_sparse(g, p, parameter, gradient, options);
      if (args.momentum == 0) return update(parameter, gradient, {}, cpu::sgd, args);
      Tensor& buffer = state_of<SGDParamState>(g, p).momentum_buffer();
      args.first_step = !buffer.defined();
      if (args.first_step) buffer = zero_state(parameter);
      update(parameter, gradient, {&buffer}, cpu::sgd, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
