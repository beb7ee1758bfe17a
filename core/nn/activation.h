// Activations as modules.
#pragma once

#include "core/nn/module.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

class ReLU final : public Module {
 public:
  ReLU() : Module("ReLU") {}
  Tensor forward(const Tensor& x) const { return relu(x); }
};

class Tanh final : public Module {
 public:
  Tanh() : Module("Tanh") {}
  Tensor forward(const Tensor& x) const { return tanh(x); }
};

class Sigmoid final : public Module {
 public:
  Sigmoid() : Module("Sigmoid") {}
  Tensor forward(const Tensor& x) const { return sigmoid(x); }
};

class GELU final : public Module {
 public:
  GELU() : Module("GELU") {}
  Tensor forward(const Tensor& x) const { return gelu(x); }
};

class ELU final : public Module {
 public:
  explicit ELU(double alpha = 1.0) : Module("ELU"), alpha_(alpha) {}
  Tensor forward(const Tensor& x) const { return elu(x, alpha_); }

 private:
  double alpha_;
};

class Softmax final : public Module {
 public:
  explicit Softmax(int64_t dim) : Module("Softmax"), dim_(dim) {}
  Tensor forward(const Tensor& x) const { return softmax(x, dim_); }

 private:
  int64_t dim_;
};

class Flatten final : public Module {
 public:
  explicit Flatten(int64_t start_dim = 1, int64_t end_dim = -1)
      : Module("Flatten"), start_(start_dim), end_(end_dim) {}
  Tensor forward(const Tensor& x) const { return flatten(x, start_, end_); }

 private:
  int64_t start_, end_;
};

}  // namespace oneagent::nn
