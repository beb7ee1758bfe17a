// Parameters by name, in order.
#pragma once

#include "core/nn/cloneable.h"

namespace oneagent::nn {

class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& parameters) {
    parameters_ = parameters;
  }

  void reset() override {}
  void pretty_print(std::ostream& out) const override;

  // A parameter requires a gradient if the tensor does.
  Tensor& insert(std::string key, Tensor parameter) {
    const bool requires_grad = parameter.requires_grad();
    return register_parameter(std::move(key), std::move(parameter), requires_grad);
  }
  Tensor pop(const std::string& key) {
    const Tensor out = parameters_[key];
    parameters_.erase(key);
    return out;
  }
  // Replaces parameters that are there.
  template <class Container>
  void update(const Container& container) {
    for (const auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear() { parameters_.clear(); }

  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<Tensor> values() const { return parameters_.values(); }
  Iterator begin() { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator begin() const { return parameters_.begin(); }
  ConstIterator end() const { return parameters_.end(); }
  size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
};
TORCH_MODULE(ParameterDict);

}  // namespace oneagent::nn
