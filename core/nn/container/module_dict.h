// Modules by name, in order; it has no forward() of its own.
#pragma once

#include "core/nn/cloneable.h"

namespace oneagent::nn {

class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Modules = OrderedDict<std::string, std::shared_ptr<Module>>;
  using Iterator = Modules::Iterator;
  using ConstIterator = Modules::ConstIterator;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(
      const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
    update(modules);
  }
  explicit ModuleDictImpl(const Modules& modules) { update(modules); }

  std::shared_ptr<Module> clone(const std::optional<Device>& device = std::nullopt) const override {
    const auto copy = std::make_shared<ModuleDictImpl>();
    for (const auto& item : modules_) copy->insert(item.key(), item.value()->clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& out) const override { out << "torch::nn::ModuleDict"; }

  std::vector<std::pair<std::string, std::shared_ptr<Module>>> items() const {
    return modules_.pairs();
  }
  std::vector<std::string> keys() const { return modules_.keys(); }
  std::vector<std::shared_ptr<Module>> values() const { return modules_.values(); }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  size_t size() const noexcept { return modules_.size(); }
  bool empty() const noexcept { return modules_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }

  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  template <class T>
  T& at(const std::string& key) {
    return *modules_[key]->template as<T>();
  }
  template <class T>
  const T& at(const std::string& key) const {
    return *modules_[key]->template as<T>();
  }

  std::shared_ptr<Module> pop(const std::string& key) {
    const std::shared_ptr<Module> out = modules_[key];
    modules_.erase(key);
    unregister_module(key);
    return out;
  }
  void clear() {
    for (const std::string& key : keys()) pop(key);
  }
  // Adds, or replaces where the key is there.
  void update(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
    for (const auto& [key, module] : modules) insert(key, module);
  }
  template <class Container>
  void update(const Container& container) {
    for (const auto& item : container) insert(item.key(), item.value());
  }

 private:
  void insert(const std::string& key, std::shared_ptr<Module> module) {
    if (contains(key))
      replace_module(key, modules_[key] = std::move(module));
    else
      register_module(key, modules_.insert(key, std::move(module)));
  }

  Modules modules_;
};
TORCH_MODULE(ModuleDict);

}  // namespace oneagent::nn
