// Stochastic gradient descent with momentum, PyTorch's arithmetic: v = mu v + g, p -= lr v.
#pragma once

#include "core/optim/optimizer.h"

namespace oneagent::optim {

class SGDOptions final : public OptimizerOptions {
 public:
  explicit SGDOptions(double lr) : lr_(lr) {}
  SGDOptions& lr(double value) { return lr_ = value, *this; }
  SGDOptions& momentum(double value) { return momentum_ = value, *this; }
  SGDOptions& weight_decay(double value) { return weight_decay_ = value, *this; }
  SGDOptions& nesterov(bool value) { return nesterov_ = value, *this; }
  double lr() const { return lr_; }
  double momentum() const { return momentum_; }
  double weight_decay() const { return weight_decay_; }
  bool nesterov() const { return nesterov_; }

  std::unique_ptr<OptimizerOptions> clone() const override { return std::make_unique<SGDOptions>(*this); }
  double get_lr() const override { return lr_; }
  void set_lr(double value) override { lr_ = value; }

 private:
  double lr_, momentum_ = 0, weight_decay_ = 0;
  bool nesterov_ = false;
};

class SGD final : public Optimizer {
 public:
  SGD(std::vector<Tensor> parameters, const SGDOptions& options);
  SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions& options);
  void step() override;
  std::vector<std::pair<std::string, Tensor>> named_state() const override;

 private:
  struct Slot {
    Tensor step;      // int64 scalar: the first step sets the buffer to the gradient
    Tensor momentum;
  };
  std::vector<Slot> slots_;
};

}  // namespace oneagent::optim
