#include "core/optim/optimizer.h"

#include <algorithm>

#include "core/ops/ops.h"

namespace oneagent::optim {

Optimizer::Optimizer(std::vector<ParamGroup> groups, double lr, std::vector<std::string> slot_names)
    : default_lr_(lr), slot_names_(std::move(slot_names)) {
  OA_REQUIRE(lr >= 0, "optimizer: lr must not be negative, was ", lr);
  for (ParamGroup& group : groups) add_param_group(std::move(group));
}

void Optimizer::add_param_group(ParamGroup group) {
  const bool taken = std::any_of(groups_.begin(), groups_.end(),
                                 [&](const ParamGroup& other) { return other.name == group.name; });
  OA_REQUIRE(!taken, "optimizer: two parameter groups are called \"", group.name, "\"");
  if (group.lr < 0) group.lr = default_lr_;
  std::vector<Slots> slots;
  for (const Tensor& parameter : group.parameters) {
    OA_REQUIRE(parameter.defined() && parameter.is_leaf() && parameter.requires_grad(),
               "optimizer: group \"", group.name, "\" holds a tensor that is no parameter");
    OA_REQUIRE(parameter.is_contiguous(), "optimizer: parameters must be contiguous, was shape ",
               parameter.sizes(), " with strides ", parameter.strides());
    Slots& slot = slots.emplace_back();
    for (size_t i = 0; i < slot_names_.size(); ++i) slot.tensors.push_back(zeros_like(parameter));
    slot.steps = zeros({1}, kInt64);
  }
  groups_.push_back(std::move(group));
  slots_.push_back(std::move(slots));
}

void Optimizer::zero_grad(bool set_to_none) {
  const NoGradGuard guard;
  for (const ParamGroup& group : groups_)
    for (const Tensor& parameter : group.parameters) {
      if (!parameter.grad().defined()) continue;
      if (set_to_none)
        parameter.set_grad({});
      else
        parameter.grad().zero_();
    }
}

void Optimizer::set_lr(double lr) {
  for (ParamGroup& group : groups_) group.lr = lr;
}

void Optimizer::set_lr(const std::string& name, double lr) {
  std::vector<std::string> names;
  for (ParamGroup& group : groups_) {
    if (group.name == name) {
      group.lr = lr;
      return;
    }
    names.push_back(group.name);
  }
  OA_REQUIRE(false, "optimizer: no parameter group \"", name, "\"", suggestion(name, names));
}

double Optimizer::lr(const std::string& name) const {
  for (const ParamGroup& group : groups_)
    if (name.empty() || group.name == name) return group.lr;
  OA_REQUIRE(false, "optimizer: no parameter group \"", name, "\"");
  return 0;
}

std::vector<NamedState> Optimizer::named_state() const {
  std::vector<NamedState> out;
  for (size_t g = 0; g < groups_.size(); ++g)
    for (size_t p = 0; p < slots_[g].size(); ++p) {
      const std::string prefix = str(groups_[g].name, ".", p, ".");
      for (size_t i = 0; i < slot_names_.size(); ++i)
        out.push_back({prefix + slot_names_[i], slots_[g][p].tensors[i]});
      out.push_back({prefix + "steps", slots_[g][p].steps});
    }
  return out;
}

Tensor gradient_of(const Tensor& parameter) {
  const Tensor gradient = parameter.grad();
  if (!gradient.defined()) return {};
  OA_REQUIRE(gradient.sizes() == parameter.sizes() && gradient.dtype() == parameter.dtype(),
             "optimizer: a gradient of shape ", gradient.sizes(), " ", name_of(gradient.dtype()),
             " for a parameter of shape ", parameter.sizes(), " ", name_of(parameter.dtype()));
  return gradient.is_contiguous() ? gradient : gradient.detach().contiguous();
}

}  // namespace oneagent::optim
