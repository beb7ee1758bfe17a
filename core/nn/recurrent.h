// One step of a recurrent network, with PyTorch's gate order and equations.
#pragma once

#include "core/nn/module.h"

namespace oneagent::nn {

// r, z, n gates; h' = (1 - z) n + z h.
class GRUCell final : public Module {
 public:
  GRUCell(int64_t input_size, int64_t hidden_size);
  GRUCell(int64_t input_size, int64_t hidden_size, Generator& generator);
  Tensor forward(const Tensor& x, const Tensor& h) const;  // [n, input], [n, hidden] -> [n, hidden]
  int64_t hidden_size() const { return hidden_size_; }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;  // [3 hidden, ...]

 private:
  int64_t hidden_size_;
};

// i, f, g, o gates.
class LSTMCell final : public Module {
 public:
  LSTMCell(int64_t input_size, int64_t hidden_size);
  LSTMCell(int64_t input_size, int64_t hidden_size, Generator& generator);
  std::tuple<Tensor, Tensor> forward(const Tensor& x,
                                     const std::tuple<Tensor, Tensor>& state) const;  // state: h, c
  int64_t hidden_size() const { return hidden_size_; }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;  // [4 hidden, ...]

 private:
  int64_t hidden_size_;
};

}  // namespace oneagent::nn
