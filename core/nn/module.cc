#include "core/nn/module.h"

#include <algorithm>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

void Module::check_name(const std::string& name) const {
  OA_REQUIRE(!name.empty() && name.find('.') == std::string::npos, name_,
             ": a registered name must not be empty or hold a dot, was \"", name, "\"");
  const auto taken = [&](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](const NamedTensor& entry) { return entry.name == name; });
  };
  const bool child = std::any_of(children_.begin(), children_.end(),
                                 [&](const auto& entry) { return entry.first == name; });
  OA_REQUIRE(!child && !taken(parameters_) && !taken(buffers_), name_, ": \"", name,
             "\" is registered twice");
}

Tensor Module::register_parameter(std::string name, const Tensor& tensor, bool requires_grad) {
  check_name(name);
  OA_REQUIRE(tensor.defined() && tensor.is_leaf(), name_, ": parameter \"", name,
             "\" must be a leaf");
  if (requires_grad) tensor.requires_grad_();
  parameters_.push_back({std::move(name), tensor});
  return tensor;
}

Tensor Module::register_buffer(std::string name, const Tensor& tensor) {
  check_name(name);
  buffers_.push_back({std::move(name), tensor});
  return tensor;
}

void Module::add_child(std::string name, std::shared_ptr<Module> module) {
  check_name(name);
  OA_REQUIRE(module != nullptr, name_, ": module \"", name, "\" is null");
  children_.emplace_back(std::move(name), std::move(module));
}

void Module::collect(std::vector<NamedTensor>& into, const std::string& prefix, bool of_parameters,
                     bool recurse) const {
  for (const NamedTensor& entry : of_parameters ? parameters_ : buffers_)
    into.push_back({prefix + entry.name, entry.tensor});
  if (!recurse) return;
  for (const auto& [name, child] : children_)
    child->collect(into, prefix + name + ".", of_parameters, true);
}

std::vector<NamedTensor> Module::named_parameters(bool recurse) const {
  std::vector<NamedTensor> out;
  collect(out, "", true, recurse);
  return out;
}

std::vector<NamedTensor> Module::named_buffers(bool recurse) const {
  std::vector<NamedTensor> out;
  collect(out, "", false, recurse);
  return out;
}

namespace {

std::vector<Tensor> tensors_of(const std::vector<NamedTensor>& named) {
  std::vector<Tensor> out;
  for (const NamedTensor& entry : named) out.push_back(entry.tensor);
  return out;
}

}  // namespace

std::vector<Tensor> Module::parameters(bool recurse) const {
  return tensors_of(named_parameters(recurse));
}
std::vector<Tensor> Module::buffers(bool recurse) const {
  return tensors_of(named_buffers(recurse));
}

std::vector<NamedTensor> Module::named_state() const {
  std::vector<NamedTensor> out = named_parameters();
  for (NamedTensor& entry : named_buffers()) out.push_back(std::move(entry));
  return out;
}

std::vector<std::shared_ptr<Module>> Module::children() const {
  std::vector<std::shared_ptr<Module>> out;
  for (const auto& [name, child] : children_) out.push_back(child);
  return out;
}

void Module::apply(const std::function<void(Module&)>& function) {
  for (const auto& [name, child] : children_) child->apply(function);
  function(*this);
}

void Module::train(bool on) {
  training_ = on;
  for (const auto& [name, child] : children_) child->train(on);
}

void Module::to(DType dtype) {
  const NoGradGuard guard;
  for (const NamedTensor& entry : named_state()) {
    if (!entry.tensor.is_floating_point() || entry.tensor.dtype() == dtype) continue;
    const Tensor converted = entry.tensor.to(dtype);
    TensorImpl& impl = entry.tensor.impl();
    impl.storage = converted.impl().storage;
    impl.meta = converted.impl().meta;
    impl.contiguous = true;
    impl.grad.reset();
  }
}

void Module::zero_grad(bool set_to_none) {
  const NoGradGuard guard;
  for (const Tensor& parameter : parameters()) {
    if (!parameter.grad().defined()) continue;
    if (set_to_none)
      parameter.set_grad({});
    else
      parameter.grad().zero_();
  }
}

void Module::copy_state_from(const Module& other) {
  const NoGradGuard guard;
  const std::vector<NamedTensor> mine = named_state(), theirs = other.named_state();
  OA_REQUIRE(mine.size() == theirs.size(), name_, ": has ", mine.size(),
             " tensors, the other module has ", theirs.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    OA_REQUIRE(mine[i].name == theirs[i].name && mine[i].tensor.sizes() == theirs[i].tensor.sizes(),
               name_, ": \"", mine[i].name, "\" of shape ", mine[i].tensor.sizes(),
               " stands against \"", theirs[i].name, "\" of shape ", theirs[i].tensor.sizes());
    mine[i].tensor.copy_(theirs[i].tensor);
  }
}

int64_t Module::parameter_count() const {
  int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

void Module::pretty_print(std::ostream& out) const { out << name_; }

namespace {

void print_tree(std::ostream& out, const Module& module, const std::string& indent) {
  module.pretty_print(out);
  if (module.named_children().empty()) return;
  out << "(\n";
  for (const auto& [name, child] : module.named_children()) {
    out << indent << "  (" << name << "): ";
    print_tree(out, *child, indent + "  ");
    out << '\n';
  }
  out << indent << ')';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Module& module) {
  print_tree(out, module, "");
  return out;
}

}  // namespace oneagent::nn
