#include "core/optim/optimizer.h"

#include <algorithm>
#include <cstring>

#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"

namespace oneagent::optim {
namespace {

OptimizerOptions& checked(const std::unique_ptr<OptimizerOptions>& options) {
  OA_REQUIRE(options != nullptr, "optimizer: has no default options");
  return *options;
}

void make_zero(Tensor& gradient) {
  if (!gradient.is_leaf() || gradient.requires_grad()) gradient.detach_();
  if (const Tensor& part = local_part(gradient); part.is_sparse()) {
    part.zero_();
  } else if (part.is_contiguous()) {
    std::memset(part.data_ptr(), 0, part.nbytes());
    gradient.impl().bump_version();
  } else {
    gradient.zero_();
  }
}

}  // namespace

Optimizer::Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  checked(defaults_);
  for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
}

Optimizer::Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))},
                std::move(defaults)) {}

void Optimizer::add_param_group(const OptimizerParamGroup& param_group) {
  OptimizerParamGroup group = param_group;
  if (!group.has_options()) group.set_options(checked(defaults_).clone());
  if (group.own_lr()) group.options().set_lr(*group.own_lr());
  for (size_t i = 0; i < group.params().size(); ++i) {
    const Tensor& parameter = group.params()[i];
    OA_REQUIRE(parameter.defined(), "optimizer: parameter ", i, " of a group is undefined");
    OA_REQUIRE(parameter.is_leaf(), "can't optimize a non-leaf Tensor: parameter ", i, " of shape ",
               parameter.sizes());
    OA_REQUIRE(has_gradient(parameter.dtype()), "optimizer: parameter ", i, " is of type ",
               name_of(parameter.dtype()), ", parameters must be floating or complex");
    OA_REQUIRE(state_.count(param_key(parameter)) == 0, "optimizer: parameter ", i, " of shape ",
               parameter.sizes(), " is in another parameter group already");
  }
  for (const OptimizerParamGroup& other : param_groups_)
    OA_REQUIRE(group.name().empty() || other.name() != group.name(),
               "optimizer: two parameter groups are called \"", group.name(), "\"");
  param_groups_.push_back(std::move(group));
}

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  OA_REQUIRE(!param_groups_.empty(), "optimizer: there is no parameter group to add to");
  std::vector<Tensor>& into = param_groups_[0].params();
  into.insert(into.end(), parameters.begin(), parameters.end());
}

void Optimizer::zero_grad(bool set_to_none) {
  const NoGradGuard no_grad;
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& parameter : group.params()) {
      Tensor& gradient = parameter.mutable_grad();
      if (!gradient.defined()) continue;
      if (set_to_none)
        gradient.reset();
      else
        make_zero(gradient);
    }
}

const std::vector<Tensor>& Optimizer::parameters() const noexcept {
  return param_groups_.at(0).params();
}
std::vector<Tensor>& Optimizer::parameters() noexcept { return param_groups_.at(0).params(); }

size_t Optimizer::size() const noexcept {
  size_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
  return count;
}

void Optimizer::set_lr(double lr) {
  for (OptimizerParamGroup& group : param_groups_) group.options().set_lr(lr);
}

void Optimizer::set_lr(const std::string& name, double lr) {
  std::vector<std::string> names;
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    if (group_name(g) == name) return param_groups_[g].options().set_lr(lr);
    names.push_back(group_name(g));
  }
  throw_error(str("optimizer: no parameter group \"", name, "\"", suggestion(name, names)));
}

double Optimizer::lr(const std::string& name) const {
  for (size_t g = 0; g < param_groups_.size(); ++g)
    if (name.empty() || group_name(g) == name) return param_groups_[g].options().get_lr();
  throw_error(str("optimizer: no parameter group \"", name, "\""));
}

std::string Optimizer::group_name(size_t g) const {
  return param_groups_[g].name().empty() ? str(g) : param_groups_[g].name();
}

std::unique_ptr<OptimizerParamState> Optimizer::make_state(const Tensor&) const {
  throw_error("optimizer: this one makes no state that could be restored");
}

std::unique_ptr<OptimizerParamState>& Optimizer::state_slot(size_t g, size_t p) {
  if (known_removals_ != state_.removals() || g >= known_.size()) [[unlikely]] {
    known_.clear();
    known_.resize(param_groups_.size());
    known_removals_ = state_.removals();
  }
  std::vector<Known>& group = known_[g];
  if (p >= group.size()) [[unlikely]]
    group.resize(param_groups_[g].params().size());
  const Tensor& parameter = param_groups_[g].params()[p];
  Known& known = group[p];
  if (known.parameter != &parameter.impl()) [[unlikely]]
    known = {&parameter.impl(), &state_[param_key(parameter)]};
  return *known.slot;
}

Optimizer::Parts Optimizer::parts_of(const Tensor& parameter, const Tensor& gradient) {
  const Tensor& stepped = stepped_part(parameter);
  if (local_part(gradient).is_sparse()) {  // of this rank's rows
    parameter.impl().bump_version();
    return {local_part(stepped), local_part(gradient)};
  }
  if (is_global(gradient) && global_parts(gradient).sharding == global_parts(stepped).sharding)
    return {stepped, gradient};
  return {stepped, global_hooks().placed_like(gradient, stepped.impl())};
}

void Optimizer::refuse_sparse(const char* optimizer) {
  throw_error(str(optimizer, " does not support sparse gradients; SGD, Adagrad and SparseAdam do"));
}

Tensor Optimizer::evaluate(const LossClosure& closure) {
  if (!closure) return {};
  const EnableGradGuard enable;
  return closure();
}

}  // namespace oneagent::optim
