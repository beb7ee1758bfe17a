#include "core/nn/rnn_cell.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

template <class Cell>
void make_parameters(Cell& cell, int64_t gates, int64_t in, int64_t hidden) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(hidden));
  const auto add = [&](const char* name, const Shape& shape) { return init::uniform_(cell.register_parameter(name, empty(shape)), -bound, bound); };
  cell.weight_ih = add("weight_ih", {gates * hidden, in});
  cell.weight_hh = add("weight_hh", {gates * hidden, hidden});
  cell.bias_ih = add("bias_ih", {gates * hidden});
  cell.bias_hh = add("bias_hh", {gates * hidden});
}

}  // namespace

GRUCellImpl::GRUCellImpl(int64_t in, int64_t hidden) : hidden_(hidden) { make_parameters(*this, 3, in, hidden); }

Tensor GRUCellImpl::forward(const Tensor& x, const Tensor& h) const {
  const Tensor from_x = linear(x, weight_ih, bias_ih), from_h = linear(h, weight_hh, bias_hh);
  const auto part = [&](const Tensor& t, int64_t gate) { return t.narrow(1, gate * hidden_, hidden_); };
  const Tensor r = sigmoid(part(from_x, 0) + part(from_h, 0));
  const Tensor z = sigmoid(part(from_x, 1) + part(from_h, 1));
  const Tensor n = tanh(part(from_x, 2) + r * part(from_h, 2));
  return n + z * (h - n);
}

LSTMCellImpl::LSTMCellImpl(int64_t in, int64_t hidden) : hidden_(hidden) { make_parameters(*this, 4, in, hidden); }

std::tuple<Tensor, Tensor> LSTMCellImpl::forward(const Tensor& x, const std::tuple<Tensor, Tensor>& state) const {
  const auto& [h, c] = state;
  const Tensor gates = linear(x, weight_ih, bias_ih) + linear(h, weight_hh, bias_hh);
  const auto part = [&](int64_t gate) { return gates.narrow(1, gate * hidden_, hidden_); };
  const Tensor next = sigmoid(part(1)) * c + sigmoid(part(0)) * tanh(part(2));
  return {sigmoid(part(3)) * tanh(next), next};
}

}  // namespace oneagent::nn
