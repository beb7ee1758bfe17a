// Parameters in a list, named "0", "1", ...
#pragma once

#include "core/nn/cloneable.h"

namespace oneagent::nn {

class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  using Item = OrderedDict<std::string, Tensor>::Item;
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterListImpl() = default;
  template <class... Tensors,
            std::enable_if_t<(sizeof...(Tensors) > 0 &&
                              !(std::is_same_v<std::decay_t<Tensors>, ParameterListImpl> || ...)),
                             int> = 0>
  explicit ParameterListImpl(Tensors&&... parameters) {
    (append(std::forward<Tensors>(parameters)), ...);
  }

  void reset() override {}
  void pretty_print(std::ostream& out) const override;

  // A parameter requires a gradient if the tensor does.
  void append(const Tensor& parameter) {
    register_parameter(std::to_string(size()), parameter, parameter.requires_grad());
  }
  void append(const Item& item) { append(item.value()); }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& parameter : container) append(parameter);
  }
  template <class Container>
  ParameterListImpl& operator+=(const Container& other) {
    extend(other);
    return *this;
  }

  Iterator begin() { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator begin() const { return parameters_.begin(); }
  ConstIterator end() const { return parameters_.end(); }
  Tensor& at(size_t index) {
    OA_REQUIRE(index < size(), "Index out of range");
    return parameters_[index].value();
  }
  const Tensor& at(size_t index) const { return const_cast<ParameterListImpl*>(this)->at(index); }
  Tensor& operator[](size_t index) { return at(index); }
  const Tensor& operator[](size_t index) const { return at(index); }
  size_t size() const noexcept { return parameters_.size(); }
  bool is_empty() const noexcept { return parameters_.is_empty(); }
};
TORCH_MODULE(ParameterList);

}  // namespace oneagent::nn
