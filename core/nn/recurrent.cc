#include "core/nn/recurrent.h"

#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

struct Weights {
  Tensor ih, hh, bias_ih, bias_hh, projection;
};

struct State {
  Tensor h, c;  // c of LSTM only

  int64_t size() const { return h.size(0); }
  State rows(int64_t from, int64_t count) const {
    return {h.narrow(0, from, count), c.defined() ? c.narrow(0, from, count) : Tensor()};
  }
};

State joined(const std::vector<State>& parts) {
  if (parts.size() == 1) return parts.front();
  std::vector<Tensor> h, c;
  for (const State& part : parts) {
    h.push_back(part.h);
    if (part.c.defined()) c.push_back(part.c);
  }
  return {cat(h), c.empty() ? Tensor() : cat(c)};
}

Tensor gate(const Tensor& gates, int64_t index, int64_t hidden) {
  return gates.narrow(1, index * hidden, hidden);
}

// One step from what the input gives to the gates; PyTorch's gate order and equations.
State stepped(const detail::RecurrentOptions& options, const Weights& weights,
              const Tensor& from_input, const State& state) {
  const int64_t hidden = options.hidden_size();
  const Tensor from_state = linear(state.h, weights.hh, weights.bias_hh);
  const auto& mode = options.mode();
  if (std::holds_alternative<enumtype::kRNN_TANH>(mode)) return {tanh(from_input + from_state), {}};
  if (std::holds_alternative<enumtype::kRNN_RELU>(mode)) return {relu(from_input + from_state), {}};
  if (std::holds_alternative<enumtype::kGRU>(mode)) {
    const Tensor r = sigmoid(gate(from_input, 0, hidden) + gate(from_state, 0, hidden));
    const Tensor z = sigmoid(gate(from_input, 1, hidden) + gate(from_state, 1, hidden));
    const Tensor n = tanh(gate(from_input, 2, hidden) + r * gate(from_state, 2, hidden));
    return {n + z * (state.h - n), {}};
  }
  const Tensor gates = from_input + from_state;
  const Tensor i = sigmoid(gate(gates, 0, hidden)), f = sigmoid(gate(gates, 1, hidden));
  const Tensor g = tanh(gate(gates, 2, hidden)), o = sigmoid(gate(gates, 3, hidden));
  const Tensor c = f * state.c + i * g, h = o * tanh(c);
  return {weights.projection.defined() ? linear(h, weights.projection) : h, c};
}

struct LayerResult {
  Tensor output;
  State last;
};

// One layer in one direction. Sequences that end early wait in `ended`; backwards they join with
// their first states.
LayerResult run_layer(const detail::RecurrentOptions& options, const Weights& weights,
                      const Tensor& rows, const std::vector<int64_t>& batch_sizes,
                      const State& first, bool backwards) {
  const Tensor from_input = linear(rows, weights.ih, weights.bias_ih);
  const size_t steps = batch_sizes.size();
  std::vector<int64_t> starts(steps, 0);
  for (size_t t = 1; t < steps; ++t) starts[t] = starts[t - 1] + batch_sizes[t - 1];
  std::vector<Tensor> outputs(steps);
  std::vector<State> ended;
  State state = first.rows(0, batch_sizes[backwards ? steps - 1 : 0]);
  for (size_t step = 0; step < steps; ++step) {
    const size_t t = backwards ? steps - 1 - step : step;
    const int64_t count = batch_sizes[t], before = state.size();
    if (count < before) {
      ended.push_back(state.rows(count, before - count));
      state = state.rows(0, count);
    } else if (count > before) {
      state = joined({state, first.rows(before, count - before)});
    }
    state = stepped(options, weights, from_input.narrow(0, starts[t], count), state);
    outputs[t] = state.h;
  }
  std::vector<State> parts = {state};
  parts.insert(parts.end(), ended.rbegin(), ended.rend());
  return {cat(outputs), joined(parts)};
}

Tensor dropped(const Tensor& x, double p) {
  return x * empty_like(x.detach()).bernoulli_(1 - p) * (1 / (1 - p));
}

}  // namespace

RecurrentResult run_recurrent(const detail::RecurrentOptions& options,
                              const std::vector<Tensor>& weights, bool training, const Tensor& rows,
                              const std::vector<int64_t>& batch_sizes, const Tensor& h,
                              const Tensor& c) {
  OA_REQUIRE(!batch_sizes.empty(), "recurrent layer: expected at least one step");
  const int64_t directions = options.bidirectional() ? 2 : 1;
  Tensor x = rows;
  std::vector<Tensor> last_h, last_c;
  size_t next = 0;
  for (int64_t layer = 0; layer < options.num_layers(); ++layer) {
    if (layer > 0 && training && options.dropout() > 0) x = dropped(x, options.dropout());
    std::vector<Tensor> outputs;
    for (int64_t direction = 0; direction < directions; ++direction) {
      Weights w{weights[next], weights[next + 1], {}, {}, {}};
      next += 2;
      if (options.bias()) {
        w.bias_ih = weights[next++];
        w.bias_hh = weights[next++];
      }
      if (options.proj_size() > 0) w.projection = weights[next++];
      const int64_t index = layer * directions + direction;
      const State first{h.select(0, index), c.defined() ? c.select(0, index) : Tensor()};
      const LayerResult result = run_layer(options, w, x, batch_sizes, first, direction == 1);
      outputs.push_back(result.output);
      last_h.push_back(result.last.h);
      if (result.last.c.defined()) last_c.push_back(result.last.c);
    }
    x = outputs.size() == 1 ? outputs.front() : cat(outputs, 1);
  }
  return {x, stack(last_h), last_c.empty() ? Tensor() : stack(last_c)};
}

}  // namespace oneagent::nn
