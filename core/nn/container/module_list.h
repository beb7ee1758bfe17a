// Modules in a list, named "0", "1", ...; it has no forward() of its own.
#pragma once

#include "core/nn/cloneable.h"

namespace oneagent::nn {

class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  template <class... Modules,
            std::enable_if_t<(sizeof...(Modules) > 0 &&
                              !(std::is_same_v<std::decay_t<Modules>, ModuleListImpl> || ...)),
                             int> = 0>
  explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override {
    const auto copy = std::make_shared<ModuleListImpl>();
    for (const auto& module : modules_) copy->push_back(module->clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& out) const override { out << "torch::nn::ModuleList"; }

  void push_back(std::shared_ptr<Module> module) {
    register_module(std::to_string(size()), module);
    modules_.push_back(std::move(module));
  }
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  void push_back(M&& module) {
    push_back(std::shared_ptr<Module>(std::make_shared<std::decay_t<M>>(std::forward<M>(module))));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(std::shared_ptr<Module>(holder.ptr()));
  }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }
  // Before the module at the index.
  void insert(size_t index, std::shared_ptr<Module> module) {
    OA_REQUIRE(index <= size(), "Index out of range");
    modules_.insert(modules_.begin() + static_cast<ptrdiff_t>(index), std::move(module));
    for (size_t i = index; i + 1 < size(); ++i) replace_module(std::to_string(i), modules_[i]);
    register_module(std::to_string(size() - 1), modules_.back());
  }
  template <class M>
  void insert(size_t index, const ModuleHolder<M>& holder) {
    insert(index, std::shared_ptr<Module>(holder.ptr()));
  }
  template <class M, oneagent::detail::enable_if_module_t<M> = 0>
  void insert(size_t index, M&& module) {
    insert(index,
           std::shared_ptr<Module>(std::make_shared<std::decay_t<M>>(std::forward<M>(module))));
  }

  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  template <class T>
  T& at(size_t index) {
    return *ptr(index)->template as<T>();
  }
  template <class T>
  const T& at(size_t index) const {
    return *ptr(index)->template as<T>();
  }
  std::shared_ptr<Module> ptr(size_t index) const {
    OA_REQUIRE(index < size(), "Index out of range");
    return modules_[index];
  }
  template <class T>
  std::shared_ptr<T> ptr(size_t index) const {
    return std::dynamic_pointer_cast<T>(ptr(index));
  }
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }
  size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  std::vector<std::shared_ptr<Module>> modules_;
};
TORCH_MODULE(ModuleList);

}  // namespace oneagent::nn
