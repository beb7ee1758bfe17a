#include "core/ops/op_recurrent.h"

#include "core/kernels/recurrent.h"
#include "core/ops/activation.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/dropout.h"
#include "core/ops/linear.h"
#include "core/ops/recurrent.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// The parameters of one direction of one layer.
struct Weights {
  Tensor ih, hh, ih_bias, hh_bias, projection;
};

struct Network {
  Recurrence kind;
  const std::vector<Tensor>& params;
  bool has_biases;
  int64_t layers;
  double dropout;
  bool train, bidirectional;
  bool projected = false;

  int64_t directions() const { return bidirectional ? 2 : 1; }
  size_t count_of_one() const { return 2u + (has_biases ? 2 : 0) + (projected ? 1 : 0); }
  void check(const char* op) const {
    const size_t wanted = count_of_one() * static_cast<size_t>(layers * directions());
    OA_REQUIRE(params.size() == wanted, op, ": ", layers, " layers of ", directions(),
               " directions have ", wanted, " parameters, was ", params.size());
    OA_REQUIRE(dropout >= 0 && dropout <= 1, op, ": dropout must be between 0 and 1, was ",
               dropout);
  }
  Weights weights(int64_t at) const {
    const Tensor* first = params.data() + static_cast<size_t>(at) * count_of_one();
    Weights out{first[0], first[1], {}, {}, {}};
    if (has_biases) {
      out.ih_bias = first[2];
      out.hh_bias = first[3];
    }
    if (projected) out.projection = first[count_of_one() - 1];
    return out;
  }
};

Tensor sum_of_biases(const Weights& w) {
  if (!w.ih_bias.defined()) return w.hh_bias;
  return w.hh_bias.defined() ? add(w.ih_bias, w.hh_bias) : w.ih_bias;
}

// A cell whose output is multiplied by a matrix, from other ops, step by step.
Layer projected_lstm(const Tensor& gates, const Tensor& first, const Tensor& first_cell,
                     const Weights& w, const Tensor& batch_sizes, bool reverse) {
  const int64_t h = first_cell.size(1), n = first.size(0);
  const auto steps = sequence_steps(gates.size(0), n, batch_sizes, reverse);
  Tensor hidden = first, cell = first_cell;
  std::vector<std::pair<int64_t, Tensor>> parts;
  const auto replaced = [n](const Tensor& state, const Tensor& head) {
    const int64_t count = head.size(0);
    return count == n ? head : cat({head, narrow(state, 0, count, n - count)}, 0);
  };
  for (const SequenceStep& step : steps) {
    const Tensor own = narrow(gates, 0, step.row, step.count);
    const Tensor all = add(own, linear(narrow(hidden, 0, 0, step.count), w.hh));
    const auto gate = [&](int64_t i) { return narrow(all, 1, i * h, h); };
    const Tensor c = add(mul(sigmoid(gate(1)), narrow(cell, 0, 0, step.count)),
                         mul(sigmoid(gate(0)), tanh(gate(2))));
    const Tensor y = linear(mul(sigmoid(gate(3)), tanh(c)), w.projection);
    hidden = replaced(hidden, y);
    cell = replaced(cell, c);
    parts.emplace_back(step.row, y);
  }
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Tensor> rows;
  for (const auto& [row, part] : parts) rows.push_back(part);
  return {cat(rows, 0), hidden, cell};
}

Layer run_layer(Recurrence kind, const Tensor& x, const Tensor& hidden, const Tensor& cell,
                const Weights& w, const Tensor& batch_sizes, bool reverse) {
  if (kind == Recurrence::kGru)
    return gru_layer(linear(x, w.ih, w.ih_bias), hidden, w.hh, w.hh_bias, batch_sizes, reverse);
  const Tensor gates = linear(x, w.ih, sum_of_biases(w));
  if (w.projection.defined()) return projected_lstm(gates, hidden, cell, w, batch_sizes, reverse);
  if (kind == Recurrence::kLstm) return lstm_layer(gates, hidden, cell, w.hh, batch_sizes, reverse);
  return rnn_layer(gates, hidden, w.hh, batch_sizes, reverse, kind == Recurrence::kRelu);
}

void require_states(const char* op, const Tensor& hx, int64_t layers, int64_t n) {
  OA_REQUIRE(hx.dim() == 3 && hx.size(0) == layers && (n < 0 || hx.size(1) == n), op,
             ": expected a state [", layers, ", ", n, ", h], was ", hx.sizes());
}

// All layers over rows x [rows, i].
Layer run_rows(const char* op, const Network& net, Tensor x, const Tensor& hx, const Tensor& cx,
               const Tensor& batch_sizes) {
  net.check(op);
  const int64_t directions = net.directions();
  std::vector<Tensor> hidden, cells;
  for (int64_t l = 0; l < net.layers; ++l) {
    std::vector<Tensor> sides;
    for (int64_t d = 0; d < directions; ++d) {
      const int64_t at = l * directions + d;
      const Tensor cell = cx.defined() ? select(cx, 0, at) : Tensor();
      Layer side =
          run_layer(net.kind, x, select(hx, 0, at), cell, net.weights(at), batch_sizes, d == 1);
      sides.push_back(side.y);
      hidden.push_back(side.hidden);
      if (side.cell.defined()) cells.push_back(side.cell);
    }
    x = directions == 1 ? sides[0] : cat(sides, 1);
    if (net.train && net.dropout > 0 && l + 1 < net.layers) x = dropout(x, net.dropout, true);
  }
  return {x, stack(hidden, 0), cells.empty() ? Tensor() : stack(cells, 0)};
}

// Whole sequences [t, n, i] or [n, t, i].
Layer run_batch(const char* op, const Network& net, const Tensor& input, const Tensor& hx,
                const Tensor& cx, bool batch_first) {
  OA_REQUIRE(input.dim() == 3, op, ": expected input of three dimensions, was ", input.sizes());
  const Tensor x = batch_first ? transpose(input, 0, 1) : input;
  const int64_t t = x.size(0), n = x.size(1);
  require_states(op, hx, net.layers * net.directions(), n);
  if (cx.defined()) require_states(op, cx, net.layers * net.directions(), n);
  Layer out = run_rows(op, net, reshape(x, {t * n, x.size(2)}), hx, cx, {});
  out.y = view(out.y, {t, n, out.y.size(1)});
  if (batch_first) out.y = transpose(out.y, 0, 1);
  return out;
}
Layer run_packed(const char* op, const Network& net, const Tensor& data, const Tensor& sizes,
                 const Tensor& hx, const Tensor& cx) {
  OA_REQUIRE(data.dim() == 2, op, ": expected packed data [rows, i], was ", data.sizes());
  require_states(op, hx, net.layers * net.directions(), -1);
  return run_rows(op, net, data, hx, cx, sizes);
}

bool has_projection(const std::vector<Tensor>& hx) {
  OA_REQUIRE(hx.size() == 2, "lstm: expected two states, was ", hx.size());
  return hx[0].size(-1) != hx[1].size(-1);
}

// A cell is a layer of one step.
Layer run_cell(const char* op, Recurrence kind, const Tensor& input, const Tensor& hx,
               const Tensor& cx, const Weights& w) {
  OA_REQUIRE((input.dim() == 1 || input.dim() == 2) && hx.dim() == input.dim(), op,
             ": expected input [n, i] or [i] and a state alike, was ", input.sizes(), " and ",
             hx.sizes());
  if (input.dim() == 2) return run_layer(kind, input, hx, cx, w, {}, false);
  const Tensor cell = cx.defined() ? unsqueeze(cx, 0) : Tensor();
  Layer out = run_layer(kind, unsqueeze(input, 0), unsqueeze(hx, 0), cell, w, {}, false);
  out.y = squeeze(out.y, 0);
  if (out.cell.defined()) out.cell = squeeze(out.cell, 0);
  return out;
}
Weights cell_weights(const Tensor& ih, const Tensor& hh, const std::optional<Tensor>& ih_bias,
                     const std::optional<Tensor>& hh_bias) {
  return {ih, hh, ih_bias.value_or(Tensor()), hh_bias.value_or(Tensor()), {}};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& input, const std::vector<Tensor>& hx,
                                        const std::vector<Tensor>& params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional, bool batch_first) {
  const Network net{Recurrence::kLstm, params, has_biases,    num_layers,
                    dropout,           train,  bidirectional, has_projection(hx)};
  const Layer out = run_batch("lstm", net, input, hx[0], hx[1], batch_first);
  return {out.y, out.hidden, out.cell};
}
std::tuple<Tensor, Tensor, Tensor> lstm(const Tensor& data, const Tensor& batch_sizes,
                                        const std::vector<Tensor>& hx,
                                        const std::vector<Tensor>& params, bool has_biases,
                                        int64_t num_layers, double dropout, bool train,
                                        bool bidirectional) {
  const Network net{Recurrence::kLstm, params, has_biases,    num_layers,
                    dropout,           train,  bidirectional, has_projection(hx)};
  const Layer out = run_packed("lstm", net, data, batch_sizes, hx[0], hx[1]);
  return {out.y, out.hidden, out.cell};
}

#define OA_RECURRENT(name, kind)                                                                   \
  std::tuple<Tensor, Tensor> name(                                                                 \
      const Tensor& input, const Tensor& hx, const std::vector<Tensor>& params, bool has_biases,   \
      int64_t num_layers, double dropout, bool train, bool bidirectional, bool batch_first) {      \
    const Network net{Recurrence::kind, params, has_biases,   num_layers,                          \
                      dropout,          train,  bidirectional};                                    \
    const Layer out = run_batch(#name, net, input, hx, {}, batch_first);                           \
    return {out.y, out.hidden};                                                                    \
  }                                                                                                \
  std::tuple<Tensor, Tensor> name(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, \
                                  const std::vector<Tensor>& params, bool has_biases,              \
                                  int64_t num_layers, double dropout, bool train,                  \
                                  bool bidirectional) {                                            \
    const Network net{Recurrence::kind, params, has_biases,   num_layers,                          \
                      dropout,          train,  bidirectional};                                    \
    const Layer out = run_packed(#name, net, data, batch_sizes, hx, {});                           \
    return {out.y, out.hidden};                                                                    \
  }                                                                                                \
  Tensor name##_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih,                    \
                     const Tensor& w_hh, const std::optional<Tensor>& b_ih,                        \
                     const std::optional<Tensor>& b_hh) {                                          \
    return run_cell(#name "_cell", Recurrence::kind, input, hx, {},                                \
                    cell_weights(w_ih, w_hh, b_ih, b_hh))                                          \
        .y;                                                                                        \
  }
OA_RECURRENT(gru, kGru)
OA_RECURRENT(rnn_tanh, kTanh)
OA_RECURRENT(rnn_relu, kRelu)
#undef OA_RECURRENT

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const std::vector<Tensor>& hx,
                                     const Tensor& w_ih, const Tensor& w_hh,
                                     const std::optional<Tensor>& b_ih,
                                     const std::optional<Tensor>& b_hh) {
  OA_REQUIRE(hx.size() == 2, "lstm_cell: expected two states, was ", hx.size());
  const Layer out = run_cell("lstm_cell", Recurrence::kLstm, input, hx[0], hx[1],
                             cell_weights(w_ih, w_hh, b_ih, b_hh));
  return {out.y, out.cell};
}

}  // namespace oneagent
