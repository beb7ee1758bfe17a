// Recurrent cells, PyTorch's equations and gate order.
#pragma once

#include <tuple>

#include "core/nn/module.h"

namespace oneagent::nn {

// Gates r, z, n: h' = (1 - z) n + z h, n = tanh(W_in x + b_in + r (W_hn h + b_hn)) (Cho et al. 2014).
class GRUCellImpl final : public Module {
 public:
  GRUCellImpl(int64_t in, int64_t hidden);
  Tensor forward(const Tensor& x, const Tensor& h) const;  // [N, in], [N, hidden] -> [N, hidden]
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;           // [3 hidden, in], [3 hidden, hidden], [3 hidden] each

 private:
  int64_t hidden_;
};
OA_MODULE(GRUCell);

// Gates i, f, g, o (Hochreiter and Schmidhuber 1997): c' = f c + i g, h' = o tanh(c').
class LSTMCellImpl final : public Module {
 public:
  LSTMCellImpl(int64_t in, int64_t hidden);
  std::tuple<Tensor, Tensor> forward(const Tensor& x, const std::tuple<Tensor, Tensor>& state) const;  // (h, c) -> (h', c')
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;                                                       // 4 hidden rows each

 private:
  int64_t hidden_;
};
OA_MODULE(LSTMCell);

}  // namespace oneagent::nn
