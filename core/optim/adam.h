// Adam (Kingma and Ba 2015, algorithm 1) and AdamW (Loshchilov and Hutter 2019), PyTorch's arithmetic, one pass over each parameter.
#pragma once

#include <tuple>

#include "core/optim/optimizer.h"

namespace oneagent::optim {

class AdamOptions final : public OptimizerOptions {
 public:
  explicit AdamOptions(double lr = 1e-3) : lr_(lr) {}
  AdamOptions& lr(double value) { return lr_ = value, *this; }
  AdamOptions& betas(std::tuple<double, double> value) { return betas_ = value, *this; }
  AdamOptions& eps(double value) { return eps_ = value, *this; }
  AdamOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  AdamOptions& decoupled(bool value) { return decoupled_ = value, *this; }  // AdamW
  double lr() const { return lr_; }
  const std::tuple<double, double>& betas() const { return betas_; }
  double eps() const { return eps_; }
  double weight_decay() const { return weight_decay_; }
  bool decoupled() const { return decoupled_; }

  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<AdamOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double value) override { lr_ = value; }

 private:
  double lr_;
  std::tuple<double, double> betas_ = {0.9, 0.999};
  double eps_ = 1e-8;
  double weight_decay_ = 0;
  bool decoupled_ = false;
};

class Adam final : public Optimizer {
 public:
  explicit Adam(std::vector<Tensor> parameters, const AdamOptions& options = AdamOptions());
  explicit Adam(std::vector<OptimizerParamGroup> groups, const AdamOptions& options = AdamOptions());
  void step() override;
  std::vector<std::pair<std::string, Tensor>> named_state() const override;

 private:
  struct Slot {
    Tensor step;                  // int64 scalar
    Tensor exp_avg, exp_avg_sq;   // first and second moments
  };
  std::vector<Slot> slots_;  // parameters of all groups in order
};

}  // namespace oneagent::optim
