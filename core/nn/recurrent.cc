#include "core/nn/recurrent.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

Tensor gate_parameter(const Shape& sizes, int64_t hidden, Generator& generator) {
  const double limit = 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(hidden, 1)));
  Tensor out = empty(sizes);
  init::uniform_(out, -limit, limit, generator);
  return out;
}

Tensor gate(const Tensor& gates, int64_t index, int64_t hidden) {
  return gates.narrow(1, index * hidden, hidden);
}

}  // namespace

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size)
    : GRUCell(input_size, hidden_size, default_generator()) {}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, Generator& generator)
    : Module("GRUCell"), hidden_size_(hidden_size) {
  weight_ih = register_parameter(
      "weight_ih", gate_parameter({3 * hidden_size, input_size}, hidden_size, generator));
  weight_hh = register_parameter(
      "weight_hh", gate_parameter({3 * hidden_size, hidden_size}, hidden_size, generator));
  bias_ih =
      register_parameter("bias_ih", gate_parameter({3 * hidden_size}, hidden_size, generator));
  bias_hh =
      register_parameter("bias_hh", gate_parameter({3 * hidden_size}, hidden_size, generator));
}

Tensor GRUCell::forward(const Tensor& x, const Tensor& h) const {
  const Tensor from_x = linear(x, weight_ih, bias_ih), from_h = linear(h, weight_hh, bias_hh);
  const Tensor r = sigmoid(gate(from_x, 0, hidden_size_) + gate(from_h, 0, hidden_size_));
  const Tensor z = sigmoid(gate(from_x, 1, hidden_size_) + gate(from_h, 1, hidden_size_));
  const Tensor n = tanh(gate(from_x, 2, hidden_size_) + r * gate(from_h, 2, hidden_size_));
  return n + z * (h - n);
}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size)
    : LSTMCell(input_size, hidden_size, default_generator()) {}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size, Generator& generator)
    : Module("LSTMCell"), hidden_size_(hidden_size) {
  weight_ih = register_parameter(
      "weight_ih", gate_parameter({4 * hidden_size, input_size}, hidden_size, generator));
  weight_hh = register_parameter(
      "weight_hh", gate_parameter({4 * hidden_size, hidden_size}, hidden_size, generator));
  bias_ih =
      register_parameter("bias_ih", gate_parameter({4 * hidden_size}, hidden_size, generator));
  bias_hh =
      register_parameter("bias_hh", gate_parameter({4 * hidden_size}, hidden_size, generator));
}

std::tuple<Tensor, Tensor> LSTMCell::forward(const Tensor& x,
                                             const std::tuple<Tensor, Tensor>& state) const {
  const auto& [h, c] = state;
  const Tensor gates = linear(x, weight_ih, bias_ih) + linear(h, weight_hh, bias_hh);
  const Tensor i = sigmoid(gate(gates, 0, hidden_size_)), f = sigmoid(gate(gates, 1, hidden_size_));
  const Tensor g = tanh(gate(gates, 2, hidden_size_)), o = sigmoid(gate(gates, 3, hidden_size_));
  const Tensor cell = f * c + i * g;
  return {o * tanh(cell), cell};
}

}  // namespace oneagent::nn
