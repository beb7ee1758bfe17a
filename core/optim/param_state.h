// What an optimizer remembers about one parameter, and the map that holds it: from
// param_key(parameter) to the state, as in libtorch.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "core/base/options_macro.h"
#include "core/optim/fields.h"

namespace oneagent::optim {

class OptimizerParamState {
 public:
  virtual ~OptimizerParamState() = default;
  virtual std::unique_ptr<OptimizerParamState> clone() const;  // Error where not overridden
  virtual void visit(FieldVisitor&) {}  // all fields, in libtorch's order and by its names
  // All fields under their names; types with others override these.
  virtual void serialize(oneagent::serialize::InputArchive& archive);
  virtual void serialize(oneagent::serialize::OutputArchive& archive) const;
};

template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
  std::unique_ptr<OptimizerParamState> clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

// The address of the tensor's implementation, as std::ostream prints it.
std::string param_key(const Tensor& parameter);

// A hash map that counts what may have removed entries, so that optimizers may keep pointers to
// entries between steps.
class ParamStateMap {
  using Map = std::unordered_map<std::string, std::unique_ptr<OptimizerParamState>>;

 public:
  using key_type = Map::key_type;
  using mapped_type = Map::mapped_type;
  using value_type = Map::value_type;
  using iterator = Map::iterator;
  using const_iterator = Map::const_iterator;

  iterator begin() { return map_.begin(); }
  iterator end() { return map_.end(); }
  const_iterator begin() const { return map_.begin(); }
  const_iterator end() const { return map_.end(); }
  const_iterator cbegin() const { return map_.begin(); }
  const_iterator cend() const { return map_.end(); }
  size_t size() const { return map_.size(); }
  bool empty() const { return map_.empty(); }
  size_t count(const std::string& key) const { return map_.count(key); }
  iterator find(const std::string& key) { return map_.find(key); }
  const_iterator find(const std::string& key) const { return map_.find(key); }
  mapped_type& at(const std::string& key) { return map_.at(key); }
  const mapped_type& at(const std::string& key) const { return map_.at(key); }
  mapped_type& operator[](const std::string& key) { return map_[key]; }
  template <class... Args>
  auto emplace(Args&&... args) {
    return map_.emplace(std::forward<Args>(args)...);
  }
  auto insert(value_type&& entry) { return map_.insert(std::move(entry)); }
  iterator erase(const_iterator at) {
    ++removals_;
    return map_.erase(at);
  }
  size_t erase(const std::string& key) {
    ++removals_;
    return map_.erase(key);
  }
  void clear() {
    ++removals_;
    map_.clear();
  }
  uint64_t removals() const { return removals_; }

 private:
  Map map_;
  uint64_t removals_ = 0;
};

}  // namespace oneagent::optim
