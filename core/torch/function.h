// autograd::Function: an operation with a gradient of the user's own.
//
//   struct Cube : torch::autograd::Function<Cube> {
//     static torch::Tensor forward(AutogradContext* ctx, torch::Tensor x) {
//       ctx->save_for_backward({x});
//       return x * x * x;
//     }
//     static variable_list backward(AutogradContext* ctx, variable_list grads) {
//       return {grads[0] * 3 * ctx->get_saved_variables()[0].square()};
//     }
//   };
//   auto y = Cube::apply(x);
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/custom.h"
#include "core/graph/node.h"
#include "core/io/ivalue.h"

namespace oneagent::autograd {

// What forward() leaves for backward().
class AutogradContext {
 public:
  AutogradContext() = default;
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  std::unordered_map<std::string, IValue> saved_data;

  // Inputs or results; once per forward(). An Error when one is changed before backward.
  void save_for_backward(variable_list to_save);
  variable_list get_saved_variables() const;
  void mark_dirty(const variable_list& inputs);  // those that forward() changed in place
  void mark_non_differentiable(const variable_list& outputs);
  void set_materialize_grads(bool on) { materialize_grads_ = on; }
  bool needs_input_grad(size_t i) const  // of the i-th tensor among the inputs
  {
    return i < needs_.size() && needs_[i];
  }

 private:
  template <class T>
  friend class Function;
  friend variable_list finish_function(
      std::shared_ptr<AutogradContext>, std::string, const variable_list&, const std::vector<bool>&,
      variable_list, std::function<variable_list(AutogradContext*, const variable_list&)>);
  struct Saved {
    Tensor tensor;
    uint32_t version = 0;
    int output = -1;  // which result it is
  };

  std::vector<Tensor> to_save_;
  std::vector<Saved> saved_;
  std::vector<Tensor> dirty_, non_differentiable_;
  std::vector<bool> needs_;
  bool materialize_grads_ = true;
  bool released_ = false;
  GradNode* node_ = nullptr;
};

// Records the results of forward(). `is_tensor` says which of the arguments of apply() were
// tensors; `inputs` are those.
variable_list finish_function(
    std::shared_ptr<AutogradContext> context, std::string name, const variable_list& inputs,
    const std::vector<bool>& is_tensor, variable_list outputs,
    std::function<variable_list(AutogradContext*, const variable_list&)> backward);

std::string demangled(const char* name);

template <class T>
class Function {
 public:
  template <class X = T, class... Args>
  static auto apply(Args&&... args)
      -> std::enable_if_t<std::is_same_v<X, T>,
                          decltype(X::forward(static_cast<AutogradContext*>(nullptr),
                                              std::forward<Args>(args)...))> {
    auto context = std::make_shared<AutogradContext>();
    variable_list inputs;
    std::vector<bool> is_tensor;
    (collect(inputs, is_tensor, args), ...);
    for (const Tensor& input : inputs)
      context->needs_.push_back(input.defined() && input.requires_grad());
    using Result =
        decltype(X::forward(static_cast<AutogradContext*>(nullptr), std::forward<Args>(args)...));
    Result result = [&] {
      const AutoGradMode guard(false);
      return X::forward(context.get(), std::forward<Args>(args)...);
    }();
    const auto backward = [](AutogradContext* ctx, const variable_list& gradients) {
      return X::backward(ctx, gradients);
    };
    if constexpr (std::is_same_v<std::decay_t<Result>, Tensor>)
      return finish_function(std::move(context), demangled(typeid(T).name()), inputs, is_tensor,
                             {result}, backward)[0];
    else
      return finish_function(std::move(context), demangled(typeid(T).name()), inputs, is_tensor,
                             std::move(result), backward);
  }

 private:
  template <class Arg>
  static void collect(variable_list& inputs, std::vector<bool>& is_tensor, const Arg& arg) {
    if constexpr (std::is_same_v<Arg, Tensor>) {
      inputs.push_back(arg);
      is_tensor.push_back(true);
    } else if constexpr (std::is_same_v<Arg, std::optional<Tensor>>) {
      inputs.push_back(arg.value_or(Tensor()));
      is_tensor.push_back(true);
    } else {
      is_tensor.push_back(false);
    }
  }
};

}  // namespace oneagent::autograd
