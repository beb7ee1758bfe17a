// Modules one after another, named "0", "1", ... A Linear that is followed by ReLU, Tanh or Sigmoid
// runs with it in one pass, with the same bits.
#pragma once

#include "core/nn/activation.h"
#include "core/nn/linear.h"
#include "core/nn/module.h"

namespace oneagent::nn {

class Sequential final : public Module {
 public:
  Sequential() : Module("Sequential") {}
  template <class... Modules>
  requires(sizeof...(Modules) > 0) explicit Sequential(std::shared_ptr<Modules>... modules)
      : Sequential() {
    (push_back(std::move(modules)), ...);
  }

  template <class M>
  void push_back(std::shared_ptr<M> module) {
    steps_.push_back(step_of(module.get()));
    register_module(std::to_string(steps_.size() - 1), std::move(module));
  }

  Tensor forward(Tensor x) const;
  size_t size() const { return steps_.size(); }

 private:
  struct Step {
    std::function<Tensor(const Tensor&)> run;
    const Linear* as_linear = nullptr;
    Activation as_activation = Activation::kNone;
  };

  template <class M>
  static Step step_of(M* module) {
    Step step{[module](const Tensor& x) { return module->forward(x); }};
    if constexpr (std::is_same_v<M, Linear>) step.as_linear = module;
    if constexpr (std::is_same_v<M, ReLU>) step.as_activation = Activation::kRelu;
    if constexpr (std::is_same_v<M, Tanh>) step.as_activation = Activation::kTanh;
    if constexpr (std::is_same_v<M, Sigmoid>) step.as_activation = Activation::kSigmoid;
    return step;
  }

  std::vector<Step> steps_;
};

}  // namespace oneagent::nn
