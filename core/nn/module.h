// Module: parameters, buffers and sub-modules by name, with the interface of libtorch's
// torch::nn::Module. A module class derives from Module, registers what it owns in its constructor
// and has its own forward(). Modules are held by shared pointers, or by holders (module_holder.h).
//
//   struct NetImpl : nn::Module {
//     NetImpl() { first = register_module("first", nn::Linear(4, 64)); }
//     Tensor forward(const Tensor& x) { return relu(first(x)); }
//     nn::Linear first = nullptr;
//   };
//   TORCH_MODULE(Net);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/any_value.h"
#include "core/nn/module_holder.h"
#include "core/nn/ordered_dict.h"
#include "core/tensor/tensor.h"

namespace oneagent::serialize {
class OutputArchive;
class InputArchive;
}  // namespace oneagent::serialize

namespace oneagent::nn {

struct NamedTensor {
  std::string name;  // "policy.0.weight"
  Tensor tensor;
};

template <class M, class... Arguments>
struct AnyModuleHolder;

class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  Module() : parameters_("Parameter"), buffers_("Buffer"), children_("Submodule") {}
  explicit Module(std::string name) : Module() { name_ = std::move(name); }
  virtual ~Module() = default;

  const std::string& name() const noexcept;  // as given, or that of the class

  // Registration, in the order of which everything below is listed. Names must be new, not empty
  // and without dots. An undefined parameter or buffer keeps its name but is not listed.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  Tensor& register_buffer(std::string name, Tensor tensor);
  template <class M>
  std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
    check_child_name(name);
    children_.insert(std::move(name), std::shared_ptr<Module>(module));
    return module;
  }
  template <class M>
  std::shared_ptr<M> register_module(std::string name, ModuleHolder<M> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  template <class M>
  std::shared_ptr<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
    children_[name] = module;
    return module;
  }
  template <class M>
  std::shared_ptr<M> replace_module(const std::string& name, ModuleHolder<M> holder) {
    return replace_module(name, holder.ptr());
  }
  void unregister_module(const std::string& name);

  // Dotted names: "policy.0.weight". A module comes before its sub-modules.
  std::vector<Tensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  std::vector<Tensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }

  // Calls the function with this module and all below it. The forms with shared pointers need this
  // module to be held by one.
  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function,
             const std::string& name_prefix = std::string()) const;

  // A deep copy. Classes derived from Cloneable can make one.
  virtual std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const;

  virtual void train(bool on = true);
  void eval() { train(false); }
  virtual bool is_training() const noexcept { return training_; }

  // Converts all parameters and buffers; handles to them see the change.
  virtual void to(Device device, DType dtype, bool non_blocking = false);
  virtual void to(DType dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);
  virtual void zero_grad(bool set_to_none = false);

  // This module as a LinearImpl, or null: module->as<nn::Linear>() or as<nn::LinearImpl>().
  template <class M>
  auto* as() noexcept {
    return dynamic_cast<typename Contained<M>::type*>(this);
  }
  template <class M>
  const auto* as() const noexcept {
    return dynamic_cast<const typename Contained<M>::type*>(this);
  }

  // Parameters and buffers by name, then the sub-modules that are serializable as nested archives.
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);
  virtual bool is_serializable() const { return true; }

  virtual void pretty_print(std::ostream& out) const;  // this module without what is below it

  // For saving and transfer.
  std::vector<NamedTensor> named_state() const;  // parameters, then buffers
  // Copies values from a module of the same structure; an Error names the first difference.
  void copy_state_from(const Module& other);
  int64_t parameter_count() const;

 protected:
  // FORWARD_HAS_DEFAULT_ARGS overrides these.
  virtual bool _forward_has_default_args() { return false; }
  virtual unsigned _forward_num_required_args();
  virtual std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments);

  OrderedDict<std::string, Tensor> parameters_;

 private:
  template <class Derived>
  friend class Cloneable;
  template <class M, class... Arguments>
  friend struct AnyModuleHolder;
  friend std::ostream& operator<<(std::ostream& out, const Module& module);

  template <class M, bool = oneagent::detail::is_module_holder<M>::value>
  struct Contained {
    using type = M;
  };
  template <class M>
  struct Contained<M, true> {
    using type = typename M::ContainedType;
  };

  // Makes this module a copy of `other`, which is of the same class.
  virtual void clone_(Module&, const std::optional<Device>&) {}

  void check_child_name(const std::string& name) const;
  void convert(const std::function<Tensor(const Tensor&)>& conversion);
  std::shared_ptr<Module> shared_from_this_checked() const;
  void visit_below(const NamedModulePointerApplyFunction& function,
                   const std::string& prefix) const;
  void collect(OrderedDict<std::string, Tensor>& into, const std::string& prefix,
               OrderedDict<std::string, Tensor> Module::*which, bool recurse) const;
  void print_tree(std::ostream& out, const std::string& indent) const;

  OrderedDict<std::string, Tensor> buffers_;
  OrderedDict<std::string, std::shared_ptr<Module>> children_;
  mutable std::optional<std::string> name_;
  bool training_ = true;
};

std::ostream& operator<<(std::ostream& out, const Module& module);  // the tree

}  // namespace oneagent::nn

// Behind a forward() with default arguments: FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
// gives argument 1 its default where a module is called through AnyModule or Sequential.
#define FORWARD_HAS_DEFAULT_ARGS(...)                                                          \
  template <class OaModule, class... OaArguments>                                              \
  friend struct ::oneagent::nn::AnyModuleHolder;                                               \
  bool _forward_has_default_args() override { return true; }                                   \
  unsigned _forward_num_required_args() override {                                             \
    const std::vector<std::pair<unsigned, ::oneagent::nn::AnyValue>> defaults = {__VA_ARGS__}; \
    return defaults.front().first;                                                             \
  }                                                                                            \
  std::vector<::oneagent::nn::AnyValue> _forward_populate_default_args(                        \
      std::vector<::oneagent::nn::AnyValue>&& arguments) override {                            \
    std::vector<std::pair<unsigned, ::oneagent::nn::AnyValue>> defaults = {__VA_ARGS__};       \
    for (auto& entry : defaults)                                                               \
      if (entry.first >= arguments.size()) arguments.push_back(std::move(entry.second));       \
    return std::move(arguments);                                                               \
  }
