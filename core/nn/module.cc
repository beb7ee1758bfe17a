#include "core/nn/module.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <sstream>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {

// As programs for libtorch know the types: oneagent is torch, and the tensor is of namespace at.
std::string detail::readable_name(const std::type_info& type) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  const std::string text = status == 0 ? demangled : type.name();
  std::free(demangled);
  const std::string own = "oneagent::", tensor = "Tensor";
  std::ostringstream out;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, own.size(), own) != 0) {
      out << text[at++];
      continue;
    }
    at += own.size();
    const size_t end = at + tensor.size();
    const bool whole = end >= text.size() || (!std::isalnum(text[end]) && text[end] != '_');
    out << (whole && text.compare(at, tensor.size(), tensor) == 0 ? "at::" : "torch::");
  }
  return out.str();
}

namespace nn {
namespace {

void check_tensor_name(const char* what, const std::string& name) {
  OA_REQUIRE(!name.empty(), what, " name must not be empty");
  OA_REQUIRE(name.find('.') == std::string::npos, what, " name must not contain a dot (got '", name,
             "')");
}

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

}  // namespace

const std::string& Module::name() const noexcept {
  if (!name_) name_ = oneagent::detail::readable_name(typeid(*this));
  return *name_;
}

Tensor& Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  check_tensor_name("Parameter", name);
  if (tensor.defined()) {
    OA_REQUIRE(tensor.is_leaf() || !requires_grad, this->name(), ": parameter '", name,
               "' must be a leaf");
    tensor.requires_grad_(requires_grad);
  }
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor& Module::register_buffer(std::string name, Tensor tensor) {
  check_tensor_name("Buffer", name);
  return buffers_.insert(std::move(name), std::move(tensor));
}

void Module::check_child_name(const std::string& name) const {
  check_tensor_name("Submodule", name);
}

void Module::unregister_module(const std::string& name) {
  OA_REQUIRE(children_.contains(name), "No Module with name `", name, "` is registered");
  children_.erase(name);
}

void Module::collect(OrderedDict<std::string, Tensor>& into, const std::string& prefix,
                     OrderedDict<std::string, Tensor> Module::*which, bool recurse) const {
  for (const auto& entry : this->*which)
    if (entry->defined()) into.insert(joined(prefix, entry.key()), *entry);
  if (!recurse) return;
  for (const auto& child : children_)
    child.value()->collect(into, joined(prefix, child.key()), which, true);
}

OrderedDict<std::string, Tensor> Module::named_parameters(bool recurse) const {
  OrderedDict<std::string, Tensor> out;
  collect(out, "", &Module::parameters_, recurse);
  return out;
}
OrderedDict<std::string, Tensor> Module::named_buffers(bool recurse) const {
  OrderedDict<std::string, Tensor> out;
  collect(out, "", &Module::buffers_, recurse);
  return out;
}
std::vector<Tensor> Module::parameters(bool recurse) const {
  return named_parameters(recurse).values();
}
std::vector<Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }

std::shared_ptr<Module> Module::shared_from_this_checked() const {
  const std::shared_ptr<const Module> held = weak_from_this().lock();
  OA_REQUIRE(held != nullptr, name(),
             ": listing this module itself needs it to be held by a shared pointer, such as "
             "std::make_shared gives; pass include_self=false to list only what is below it");
  return std::const_pointer_cast<Module>(held);
}

void Module::visit_below(const NamedModulePointerApplyFunction& function,
                         const std::string& prefix) const {
  for (const auto& child : children_) {
    const std::string path = joined(prefix, child.key());
    function(path, child.value());
    child.value()->visit_below(function, path);
  }
}

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string& prefix,
                                                                        bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> out;
  const auto add = [&](const std::string& path, const std::shared_ptr<Module>& module) {
    out.insert(path, module);
  };
  if (include_self) add(prefix, shared_from_this_checked());
  visit_below(add, prefix);
  return out;
}

std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  std::vector<std::shared_ptr<Module>> out;
  if (include_self) out.push_back(shared_from_this_checked());
  visit_below(
      [&](const std::string&, const std::shared_ptr<Module>& module) { out.push_back(module); },
      "");
  return out;
}

std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }

void Module::apply(const ModuleApplyFunction& function) {
  function(*this);
  visit_below([&](const std::string&, const std::shared_ptr<Module>& module) { function(*module); },
              "");
}
void Module::apply(const ConstModuleApplyFunction& function) const {
  function(*this);
  visit_below([&](const std::string&, const std::shared_ptr<Module>& module) { function(*module); },
              "");
}
void Module::apply(const NamedModuleApplyFunction& function, const std::string& prefix) {
  function(prefix, *this);
  visit_below([&](const std::string& path,
                  const std::shared_ptr<Module>& module) { function(path, *module); },
              prefix);
}
void Module::apply(const ConstNamedModuleApplyFunction& function, const std::string& prefix) const {
  function(prefix, *this);
  visit_below([&](const std::string& path,
                  const std::shared_ptr<Module>& module) { function(path, *module); },
              prefix);
}
void Module::apply(const ModulePointerApplyFunction& function) const {
  function(shared_from_this_checked());
  visit_below([&](const std::string&, const std::shared_ptr<Module>& module) { function(module); },
              "");
}
void Module::apply(const NamedModulePointerApplyFunction& function,
                   const std::string& prefix) const {
  function(prefix, shared_from_this_checked());
  visit_below(function, prefix);
}

std::shared_ptr<Module> Module::clone(const std::optional<Device>&) const {
  throw_error(str("clone() has not been implemented for ", name(),
                  ". Subclass torch::nn::Cloneable<", name(),
                  "> instead of torch::nn::Module to inherit the ability to clone."));
}

void Module::train(bool on) {
  for (const auto& child : children_) child.value()->train(on);
  training_ = on;
}

void Module::convert(const std::function<Tensor(const Tensor&)>& conversion) {
  const NoGradGuard guard;
  for (auto* list : {&parameters_, &buffers_})
    for (const auto& entry : *list)
      if (entry->defined()) entry->set_data(conversion(entry->detach()));
}

void Module::to(Device device, DType dtype, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(device, dtype, non_blocking);
  convert([&](const Tensor& tensor) { return tensor.to(device, dtype, non_blocking); });
}
void Module::to(DType dtype, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(dtype, non_blocking);
  convert([&](const Tensor& tensor) { return tensor.to(dtype, non_blocking); });
}
void Module::to(Device device, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(device, non_blocking);
  convert([&](const Tensor& tensor) { return tensor.to(device, tensor.dtype(), non_blocking); });
}

void Module::zero_grad(bool set_to_none) {
  for (const auto& child : children_) child.value()->zero_grad(set_to_none);
  for (const auto& parameter : parameters_) {
    if (!parameter->defined()) continue;
    Tensor& grad = parameter->mutable_grad();
    if (!grad.defined()) continue;
    if (set_to_none) {
      grad = Tensor();
    } else {
      grad.detach_();
      grad.zero_();
    }
  }
}

unsigned Module::_forward_num_required_args() {
  throw_error(str(name(),
                  ": forward() has default arguments that it does not declare with "
                  "FORWARD_HAS_DEFAULT_ARGS"));
}
std::vector<AnyValue> Module::_forward_populate_default_args(std::vector<AnyValue>&&) {
  throw_error(str(name(),
                  ": forward() has default arguments that it does not declare with "
                  "FORWARD_HAS_DEFAULT_ARGS"));
}

std::vector<NamedTensor> Module::named_state() const {
  std::vector<NamedTensor> out;
  for (const auto& list : {named_parameters(), named_buffers()})
    for (const auto& entry : list) out.push_back({entry.key(), *entry});
  return out;
}

void Module::copy_state_from(const Module& other) {
  const NoGradGuard guard;
  const std::vector<NamedTensor> mine = named_state(), theirs = other.named_state();
  OA_REQUIRE(mine.size() == theirs.size(), name(), ": has ", mine.size(),
             " tensors, the other module has ", theirs.size());
  for (size_t i = 0; i < mine.size(); ++i) {
    OA_REQUIRE(mine[i].name == theirs[i].name && mine[i].tensor.sizes() == theirs[i].tensor.sizes(),
               name(), ": \"", mine[i].name, "\" of shape ", mine[i].tensor.sizes(),
               " stands against \"", theirs[i].name, "\" of shape ", theirs[i].tensor.sizes());
    mine[i].tensor.copy_(theirs[i].tensor);
  }
}

int64_t Module::parameter_count() const {
  int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

void Module::pretty_print(std::ostream& out) const { out << name(); }

void Module::print_tree(std::ostream& out, const std::string& indent) const {
  pretty_print(out);
  if (children_.is_empty()) return;
  out << "(\n";
  for (const auto& child : children_) {
    out << indent << "  (" << child.key() << "): ";
    child.value()->print_tree(out, indent + "  ");
    out << '\n';
  }
  out << indent << ')';
}

std::ostream& operator<<(std::ostream& out, const Module& module) {
  module.print_tree(out, "");
  return out;
}

}  // namespace nn
}  // namespace oneagent
