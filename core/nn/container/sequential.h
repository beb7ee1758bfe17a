// Modules one after another, named "0", "1", ... or as given. A Linear that is followed by ReLU,
// Tanh or Sigmoid runs with it in one pass, with the same bits.
#pragma once

#include "core/nn/any_module.h"
#include "core/nn/cloneable.h"

namespace oneagent::nn {

class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  template <class... Modules,
            std::enable_if_t<(sizeof...(Modules) > 0 &&
                              !(std::is_same_v<std::decay_t<Modules>, SequentialImpl> || ...)),
                             int> = 0>
  explicit SequentialImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
    for (auto& item : modules) push_back(item.key(), std::move(item.value()));
  }
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
    for (const NamedAnyModule& named : modules) push_back(named.name(), named.module());
  }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override {
    const auto copy = std::make_shared<SequentialImpl>();
    for (const AnyModule& module : modules_) copy->push_back(module.clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& out) const override { out << "torch::nn::Sequential"; }

  // The last module's result, which must be a Result; the first module gets the inputs.
  template <class Result = Tensor, class... Inputs>
  Result forward(Inputs&&... inputs) {
    OA_REQUIRE(!is_empty(), "Cannot call forward() on an empty Sequential");
    if constexpr (std::is_same_v<Result, Tensor> && sizeof...(Inputs) == 1 &&
                  (std::is_same_v<std::decay_t<Inputs>, Tensor> && ...)) {
      Tensor value(std::forward<Inputs>(inputs)...);
      const size_t done = run(value);
      return done == size() ? value : result<Tensor>(done + 1, modules_[done].any_forward(value));
    } else {
      return result<Result>(1, modules_[0].any_forward(std::forward<Inputs>(inputs)...));
    }
  }

  template <class M>
  void push_back(std::shared_ptr<M> module) {
    push_back(AnyModule(std::move(module)));
  }
  template <class M>
  void push_back(std::string name, std::shared_ptr<M> module) {
    push_back(std::move(name), AnyModule(std::move(module)));
  }
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(AnyModule(holder.ptr()));
  }
  template <class M>
  void push_back(std::string name, const ModuleHolder<M>& holder) {
    push_back(std::move(name), AnyModule(holder.ptr()));
  }
  void push_back(AnyModule module) { push_back(std::to_string(size()), std::move(module)); }
  void push_back(std::string name, AnyModule module) {
    register_module(std::move(name), module.ptr());
    modules_.push_back(std::move(module));
  }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  template <class T>
  T& at(size_t index) {
    return checked(index).template get<T>();
  }
  template <class T>
  const T& at(size_t index) const {
    return checked(index).template get<T>();
  }
  std::shared_ptr<Module> ptr(size_t index) const { return checked(index).ptr(); }
  template <class T>
  std::shared_ptr<T> ptr(size_t index) const {
    return checked(index).template ptr<T>();
  }
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }
  size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  // Runs modules of one tensor to the end or to the first of another kind; returns how many.
  size_t run(Tensor& value);

  template <class Result>
  Result result(size_t from, AnyValue value) {
    for (size_t i = from; i < size(); ++i) value = modules_[i].any_forward(std::move(value));
    Result* out = value.template try_get<Result>();
    OA_REQUIRE(out != nullptr, "The type of the return value is ",
               oneagent::detail::readable_name(value.type_info()), ", but you asked for type ",
               oneagent::detail::readable_name(typeid(Result)));
    return std::move(*out);
  }
  AnyModule& checked(size_t index) const {
    OA_REQUIRE(index < size(), "Index out of range");
    return const_cast<AnyModule&>(modules_[index]);
  }

  std::vector<AnyModule> modules_;
};

class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;
  Sequential() : ModuleHolder() {}
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};

}  // namespace oneagent::nn
