// What all optimizers share: parameter groups by name, each with its own learning rate; state that
// is saved and restored exactly.
#pragma once

#include <string>
#include <vector>

#include "core/graph/context.h"
#include "core/tensor/tensor.h"

namespace oneagent::optim {

struct ParamGroup {
  std::string name = "default";
  std::vector<Tensor> parameters;
  double lr = -1;  // below 0: the optimizer's
};

struct NamedState {
  std::string name;  // "policy.0.exp_avg": group, index of the parameter in it, slot
  Tensor tensor;     // float32 / float64 like the parameter; step counts are int64 [1]
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step() = 0;  // parameters without a gradient stay as they are

  void zero_grad(bool set_to_none = true);
  void add_param_group(ParamGroup group);
  const std::vector<ParamGroup>& param_groups() const { return groups_; }
  void set_lr(double lr);                            // of all groups
  void set_lr(const std::string& group, double lr);  // Error names the groups that exist
  double lr(const std::string& group = "") const;    // "": the first group

  // Handles on the state tensors: read them to save, copy into them to restore.
  std::vector<NamedState> named_state() const;

 protected:
  // State of one parameter: slots in the order of slot_names(), and the number of steps taken.
  struct Slots {
    std::vector<Tensor> tensors;
    Tensor steps;  // int64 [1]
  };
  Optimizer(std::vector<ParamGroup> groups, double lr, std::vector<std::string> slot_names);
  const Slots& slots(size_t group, size_t parameter) const { return slots_[group][parameter]; }
  int64_t next_step(size_t group, size_t parameter) const {
    return ++*slots_[group][parameter].steps.data_ptr<int64_t>();
  }

 private:
  std::vector<ParamGroup> groups_;
  std::vector<std::vector<Slots>> slots_;
  double default_lr_;
  std::vector<std::string> slot_names_;
};

// The gradient of a parameter, contiguous, checked against it; undefined when there is none.
Tensor gradient_of(const Tensor& parameter);

}  // namespace oneagent::optim
