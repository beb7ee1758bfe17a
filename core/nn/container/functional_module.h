// A function as a module: Functional(relu), or with bound arguments Functional(softmax, 1,
// std::nullopt).
#pragma once

#include "core/nn/cloneable.h"

namespace oneagent::nn {

class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<Tensor(Tensor)>;

  explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
  template <class F, class... Args, std::enable_if_t<(sizeof...(Args) > 0), int> = 0>
  explicit FunctionalImpl(F function, Args&&... args)
      : function_(std::bind(function, std::placeholders::_1, std::forward<Args>(args)...)) {}

  void reset() override {}
  bool is_serializable() const override { return false; }
  void pretty_print(std::ostream& out) const override { out << "torch::nn::Functional()"; }
  Tensor forward(Tensor input) { return function_(std::move(input)); }
  Tensor operator()(Tensor input) { return forward(std::move(input)); }

 private:
  Function function_;
};
TORCH_MODULE(Functional);

}  // namespace oneagent::nn
