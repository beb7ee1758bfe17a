// What all optimizers share, with libtorch's interface: groups of parameters with options of their
// own, state per parameter that starts with its first gradient, step() with an optional closure.
// Parameters may have any strides; the state of 16-bit parameters is kept, and their steps are
// computed, in float32.
#pragma once

#include <functional>

#include "core/graph/context.h"
#include "core/optim/param_group.h"
#include "core/optim/param_state.h"

namespace oneagent::optim {

struct NamedState {
  std::string name;  // "policy.0.exp_avg": group, index of the parameter in it, field
  Tensor tensor;     // numbers are int64 or float64 of shape [1]
};

class Optimizer {
 public:
  using LossClosure = std::function<Tensor()>;

  Optimizer(const Optimizer&) = delete;
  Optimizer(Optimizer&&) = default;
  explicit Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults);
  explicit Optimizer(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults);
  virtual ~Optimizer() = default;

  // Parameters without a gradient stay as they are. The closure computes the loss and its
  // gradients; step() returns what it returned.
  virtual Tensor step(LossClosure closure = nullptr) = 0;

  // Error: a parameter that is no leaf, or that has state from another group.
  void add_param_group(const OptimizerParamGroup& param_group);
  void add_parameters(const std::vector<Tensor>& parameters);  // to the first group

  // Gradients become zero, as in libtorch 1.13; set_to_none drops them, which is faster, and
  // parameters without a new gradient are then left out of the next step.
  void zero_grad(bool set_to_none = false);

  const std::vector<Tensor>& parameters() const noexcept;  // of the first group
  std::vector<Tensor>& parameters() noexcept;
  size_t size() const noexcept;  // number of parameters in all groups
  OptimizerOptions& defaults() noexcept { return *defaults_; }
  const OptimizerOptions& defaults() const noexcept { return *defaults_; }
  std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
  ParamStateMap& state() noexcept { return state_; }
  const ParamStateMap& state() const noexcept { return state_; }

  // Beyond libtorch. Learning rates of all groups or of a named one; an Error names those there
  // are.
  void set_lr(double lr);
  void set_lr(const std::string& group, double lr);
  double lr(const std::string& group = "") const;  // "": the first group

  // All state as tensors; those of tensors share memory. load_state() wants the same parameters
  // and takes copies; an Error names the first difference and nothing is changed.
  std::vector<NamedState> named_state() const;
  void load_state(const std::vector<NamedState>& state);

  // State and options; load() wants the same groups with as many parameters, and is all or nothing.
  virtual void save(serialize::OutputArchive& archive) const;
  virtual void load(serialize::InputArchive& archive);

 protected:
  // Fresh state for a parameter; optimizers that can be restored have it.
  virtual std::unique_ptr<OptimizerParamState> make_state(const Tensor& parameter) const;
  // Where the state of parameter p of group g lies; empty before its first step.
  std::unique_ptr<OptimizerParamState>& state_slot(size_t g, size_t p);
  // The same, filled by make_state() where it is empty.
  template <class State>
  State& state_of(size_t g, size_t p) {
    std::unique_ptr<OptimizerParamState>& slot = state_slot(g, p);
    if (slot == nullptr) [[unlikely]]
      slot = make_state(param_groups_[g].params()[p]);
    return static_cast<State&>(*slot);
  }
  // The closure's loss, with gradients recorded; undefined without one.
  static Tensor evaluate(const LossClosure& closure);
  // Calls body(p, parameter, gradient) for all parameters of a group that have a gradient. Error: a
  // sparse one where `dense_only` names the optimizer.
  template <class Body>
  void each_gradient(size_t g, const char* dense_only, const Body& body) {
    const std::vector<Tensor>& parameters = param_groups_[g].params();
    for (size_t p = 0; p < parameters.size(); ++p) {
      const Tensor& gradient = parameters[p].grad();
      if (!gradient.defined()) continue;
      if (dense_only != nullptr && gradient.is_sparse()) [[unlikely]]
        refuse_sparse(dense_only);
      if (parameters[p].impl().parts) [[unlikely]] {
        const Parts parts = parts_of(parameters[p], gradient);
        body(p, parts.parameter, parts.gradient);
      } else {
        body(p, parameters[p], gradient);
      }
    }
  }

  std::vector<OptimizerParamGroup> param_groups_;
  ParamStateMap state_;
  std::unique_ptr<OptimizerOptions> defaults_;

 private:
  // Entries of state_, so that a step needs no hashing.
  struct Known {
    const TensorImpl* parameter = nullptr;
    std::unique_ptr<OptimizerParamState>* slot = nullptr;
  };
  std::string group_name(size_t g) const;
  [[noreturn]] static void refuse_sparse(const char* optimizer);
  // What is stepped of a global parameter, with the gradient of that.
  struct Parts {
    Tensor parameter, gradient;
  };
  static Parts parts_of(const Tensor& parameter, const Tensor& gradient);

  std::vector<std::vector<Known>> known_;
  uint64_t known_removals_ = 0;
};

}  // namespace oneagent::optim
