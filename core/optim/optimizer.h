// Optimizers: parameter groups with their own settings, libtorch's names. State is exact: saved and loaded, training goes on bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::optim {

// Settings of one group; concrete optimizers add theirs.
class OptimizerOptions {
 public:
  virtual ~OptimizerOptions() = default;
  virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
  virtual double get_lr() const = 0;
  virtual void set_lr(double lr) = 0;
};

class OptimizerParamGroup {
 public:
  explicit OptimizerParamGroup(std::vector<Tensor> parameters, std::unique_ptr<OptimizerOptions> options = nullptr, std::string name = "")
      : parameters_(std::move(parameters)), options_(std::move(options)), name_(std::move(name)) {}
  const std::vector<Tensor>& params() const { return parameters_; }
  bool has_options() const { return options_ != nullptr; }
  OptimizerOptions& options() const { return *options_; }
  const std::string& name() const { return name_; }
  void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }

 private:
  std::vector<Tensor> parameters_;
  std::unique_ptr<OptimizerOptions> options_;
  std::string name_;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One update of every parameter that has a gradient.
  virtual void step() = 0;
  void zero_grad();
  std::vector<OptimizerParamGroup>& param_groups() { return groups_; }
  void set_lr(double lr);  // of all groups

  // State by name, parameters numbered over all groups: "exp_avg.3"; plus "step.3" int64. Tensors are the optimizer's own.
  virtual std::vector<std::pair<std::string, Tensor>> named_state() const = 0;
  // Copies into the own state; Error when names, shapes or dtypes differ.
  void load_state(const std::vector<std::pair<std::string, Tensor>>& state);

 protected:
  Optimizer(std::vector<OptimizerParamGroup> groups, const OptimizerOptions& defaults);

 private:
  std::vector<OptimizerParamGroup> groups_;
};

}  // namespace oneagent::optim
