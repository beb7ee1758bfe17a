// The records of recurrent layers. Besides its results a forward op keeps a workspace of gate
// values, which is a result of its own, so that second derivatives pass through it.
#include "core/kernels/recurrent.h"

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_recurrent.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"reverse", AttrKind::kBool}};
constexpr AttrSpec kPlainAttrs[] = {{"reverse", AttrKind::kBool}, {"relu", AttrKind::kBool}};

// Inputs of a record: gates, hidden, (cell,) weight, (bias,) batch_sizes. The backward op has the
// gradients of the results first, then hidden, (cell,) weight, y, (workspace,) batch_sizes.
struct Kind {
  Recurrence of;
  const char* name;
  int64_t gates;      // per unit of the state
  int64_t workspace;  // per unit of the state, 0: none
  bool cell, bias;
  constexpr size_t results() const { return 2u + (cell ? 1 : 0) + (workspace > 0 ? 1 : 0); }
  constexpr size_t weight_at() const { return cell ? 3 : 2; }
  constexpr size_t sizes_at() const { return weight_at() + (bias ? 2 : 1); }
};
constexpr Kind kLstm = {Recurrence::kLstm, "lstm", 4, 5, true, false};
constexpr Kind kGru = {Recurrence::kGru, "gru", 3, 4, false, true};
constexpr Kind kPlain = {Recurrence::kTanh, "rnn", 1, 0, false, false};

template <const Kind& K>
void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating(K.name, *in[0]);
  require_same_dtype(K.name, in.subspan(0, K.sizes_at()));
  const Shape &gates = in[0]->sizes, &hidden = in[1]->sizes, &weight = in[K.weight_at()]->sizes;
  const bool fits = gates.size() == 2 && hidden.size() == 2 &&
                    weight == Shape{K.gates * hidden[1], hidden[1]} &&
                    gates[1] == K.gates * hidden[1];
  OA_REQUIRE(fits, K.name, ": expected gates [rows, ", K.gates,
             " h], a state [n, h] and a weight [", K.gates, " h, h], was ", gates, ", ", hidden,
             " and ", weight);
  OA_REQUIRE(!K.cell || in[2]->sizes == hidden, K.name, ": the cell has shape ", in[2]->sizes,
             ", the state ", hidden);
  if constexpr (K.bias)
    OA_REQUIRE(in[3] == nullptr || in[3]->sizes == Shape{weight[0]}, K.name,
               ": expected a bias of shape [", weight[0], "], was ", in[3]->sizes);
  const TensorMeta* sizes = in[K.sizes_at()];
  OA_REQUIRE(sizes == nullptr || (sizes->dtype == DType::kInt64 && sizes->sizes.size() == 1),
             K.name, ": batch sizes are an int64 vector");
  out.add({gates[0], hidden[1]}, in[0]->dtype);
  out.add(hidden, in[0]->dtype);
  if (K.cell) out.add(hidden, in[0]->dtype);
  if (K.workspace > 0) out.add({gates[0], K.workspace * hidden[1]}, in[0]->dtype);
}

template <const Kind& K>
Recurrence recurrence_of(const Attrs& attrs) {
  return K.of == Recurrence::kTanh && attrs.flag(1) ? Recurrence::kRelu : K.of;
}

template <const Kind& K>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  RecurrentCall call;
  call.kind = recurrence_of<K>(attrs);
  call.gates = as_contiguous(stream, in[0]);
  call.hidden = as_contiguous(stream, in[1]);
  if (K.cell) call.cell = as_contiguous(stream, in[2]);
  call.weight = as_contiguous(stream, in[K.weight_at()]);
  if (K.bias && in.has(3)) call.bias = as_contiguous(stream, in[3]);
  call.steps =
      sequence_steps(call.gates.size(0), call.hidden.size(0), in[K.sizes_at()], attrs.flag(0));
  RecurrentResult to{out[0], out[1], {}, {}};
  if (K.cell) to.cell = out[2];
  if (K.workspace > 0) to.workspace = out[K.results() - 1];
  run_recurrent(stream, call, to);
}

// Positions of the backward op's operands behind the gradients.
template <const Kind& K>
struct At {
  static constexpr size_t hidden = 2 + (K.cell ? 1 : 0) + (K.workspace > 0 ? 1 : 0);
  static constexpr size_t cell = hidden + 1;
  static constexpr size_t weight = hidden + (K.cell ? 2 : 1);
  static constexpr size_t y = weight + 1;
  static constexpr size_t workspace = y + 1;
  static constexpr size_t sizes = y + (K.workspace > 0 ? 2 : 1);
};

template <const Kind& K>
void backward_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape &hidden = in[At<K>::hidden]->sizes, &weight = in[At<K>::weight]->sizes;
  const Shape& y = in[At<K>::y]->sizes;
  const DType dtype = in[At<K>::hidden]->dtype;
  out.add({y[0], K.gates * hidden[1]}, dtype);
  out.add(hidden, dtype);
  if (K.cell) out.add(hidden, dtype);
  out.add(weight, dtype);
  if (K.bias) out.add({weight[0]}, dtype);
}

template <const Kind& K>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const auto operand = [&](size_t i) {
    return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
  };
  RecurrentCall call;
  call.kind = recurrence_of<K>(attrs);
  call.hidden = operand(At<K>::hidden);
  if (K.cell) call.cell = operand(At<K>::cell);
  call.weight = operand(At<K>::weight);
  RecurrentResult from, to;
  from.y = operand(At<K>::y);
  to.y = operand(0);
  to.hidden = operand(1);
  if (K.cell) to.cell = operand(2);
  if (K.workspace > 0) {
    from.workspace = operand(At<K>::workspace);
    to.workspace = operand(K.results() - 1);
  }
  call.steps = sequence_steps(from.y.size(0), call.hidden.size(0), in[At<K>::sizes], attrs.flag(0));
  RecurrentCall result;
  result.gates = out[0];
  result.hidden = out[1];
  if (K.cell) result.cell = out[2];
  result.weight = out[K.cell ? 3 : 2];
  if (K.bias) result.bias = out[3];
  run_recurrent_backward(stream, call, from, to, result);
}

// Backward from other ops, step by step.
template <const Kind& K>
class Composed {
 public:
  Composed(const std::vector<Tensor>& in, const Attrs& attrs)
      : in_(in),
        relu_(K.of == Recurrence::kTanh && attrs.flag(1)),
        h_(in[At<K>::hidden].size(1)),
        steps_(sequence_steps(in[At<K>::y].size(0), in[At<K>::hidden].size(0), in[At<K>::sizes],
                              attrs.flag(0))) {}

  std::vector<Tensor> run() {
    Tensor to_hidden = start(1, At<K>::hidden), to_cell;
    if constexpr (K.cell) to_cell = start(2, At<K>::cell);
    std::vector<std::pair<int64_t, Tensor>> gates;
    Tensor to_weight = zeros(in_[At<K>::weight].sizes(), in_[At<K>::weight].dtype());
    Tensor to_bias = zeros({to_weight.size(0)}, to_weight.dtype());
    for (size_t k = steps_.size(); k-- > 0;) {
      const SequenceStep& step = steps_[k];
      Tensor dh = narrow(to_hidden, 0, 0, step.count);
      if (in_[0].defined()) dh = add(dh, narrow(in_[0], 0, step.row, step.count));
      const Tensor before = before_step(k, in_[At<K>::y], in_[At<K>::hidden]);
      Step s = take(k, dh, before, to_cell);
      if (K.cell) to_cell = replaced(to_cell, s.cell, step.count);
      Tensor hidden = mm(s.to_state, in_[At<K>::weight]);
      if (s.direct.defined()) hidden = add(hidden, s.direct);
      to_hidden = replaced(to_hidden, hidden, step.count);
      to_weight = add(to_weight, mm(t(s.to_state), before));
      if (K.bias) to_bias = add(to_bias, sum(s.to_state, Shape{0}));
      gates.emplace_back(step.row, s.to_gates);
    }
    std::vector<Tensor> out = {joined(gates), to_hidden};
    if (K.cell) out.push_back(to_cell);
    out.push_back(to_weight);
    if (K.bias) out.push_back(to_bias);
    return out;
  }

 private:
  struct Step {
    Tensor to_gates, to_state, cell, direct;
  };

  Tensor start(size_t gradient, size_t like) const {
    return in_[gradient].defined() ? in_[gradient] : zeros(in_[like].sizes(), in_[like].dtype());
  }
  static Tensor replaced(const Tensor& state, const Tensor& head, int64_t count) {
    if (count == state.size(0)) return head;
    return cat({head, narrow(state, 0, count, state.size(0) - count)}, 0);
  }
  Tensor joined(std::vector<std::pair<int64_t, Tensor>>& parts) const {
    std::sort(parts.begin(), parts.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Tensor> rows;
    for (const auto& [row, part] : parts) rows.push_back(part);
    if (rows.empty()) return zeros({0, K.gates * h_}, in_[At<K>::y].dtype());
    return cat(rows, 0);
  }
  // Column block `i` of the rows of step k.
  Tensor column(const Tensor& x, size_t k, int64_t i) const {
    return narrow(narrow(x, 0, steps_[k].row, steps_[k].count), 1, i * h_, h_);
  }
  // The states before step k: of the step before, where the sequence took part in it.
  Tensor before_step(size_t k, const Tensor& rows, const Tensor& first) const {
    const int64_t count = steps_[k].count;
    const int64_t m = k == 0 ? 0 : std::min(count, steps_[k - 1].count);
    std::vector<Tensor> parts;
    if (m > 0) parts.push_back(narrow(rows, 0, steps_[k - 1].row, m));
    if (m < count) parts.push_back(narrow(first, 0, m, count - m));
    return parts.size() == 1 ? parts[0] : cat(parts, 0);
  }
  Tensor gate(size_t k, int64_t i) const { return column(in_[At<K>::workspace], k, i); }
  Tensor with_own(const Tensor& gradient, size_t k, int64_t i) const {
    const Tensor& own = in_[K.results() - 1];
    return own.defined() ? add(gradient, column(own, k, i)) : gradient;
  }
  static Tensor through_sigmoid(const Tensor& g, const Tensor& y) {
    return mul(g, mul(y, sub(1.0, y)));
  }
  static Tensor through_tanh(const Tensor& g, const Tensor& y) {
    return mul(g, sub(1.0, square(y)));
  }

  Step take(size_t k, const Tensor& dh, const Tensor& before, const Tensor& to_cell) const {
    Step out;
    if constexpr (K.of == Recurrence::kLstm) {
      const Tensor i = gate(k, 0), f = gate(k, 1), g = gate(k, 2), o = gate(k, 3);
      const Tensor tc = tanh(gate(k, 4));
      const Tensor cells = narrow(in_[At<K>::workspace], 1, 4 * h_, h_);
      const Tensor cell = before_step(k, cells, in_[At<K>::cell]);
      Tensor dc = add(narrow(to_cell, 0, 0, steps_[k].count), through_tanh(mul(dh, o), tc));
      dc = with_own(dc, k, 4);
      out.to_gates = cat({through_sigmoid(with_own(mul(dc, g), k, 0), i),
                          through_sigmoid(with_own(mul(dc, cell), k, 1), f),
                          through_tanh(with_own(mul(dc, i), k, 2), g),
                          through_sigmoid(with_own(mul(dh, tc), k, 3), o)},
                         1);
      out.to_state = out.to_gates;
      out.cell = mul(dc, f);
    } else if constexpr (K.of == Recurrence::kGru) {
      const Tensor r = gate(k, 0), z = gate(k, 1), n = gate(k, 2), hn = gate(k, 3);
      const Tensor dx = through_tanh(with_own(mul(dh, sub(1.0, z)), k, 2), n);
      const Tensor to_update = through_sigmoid(with_own(mul(dh, sub(before, n)), k, 1), z);
      const Tensor to_reset = through_sigmoid(with_own(mul(dx, hn), k, 0), r);
      out.to_gates = cat({to_reset, to_update, dx}, 1);
      out.to_state = cat({to_reset, to_update, with_own(mul(dx, r), k, 3)}, 1);
      out.direct = mul(dh, z);
    } else {
      const Tensor y = narrow(in_[At<K>::y], 0, steps_[k].row, steps_[k].count);
      out.to_gates = relu_ ? mul(dh, to(gt(y, 0.0), y.dtype())) : through_tanh(dh, y);
      out.to_state = out.to_gates;
    }
    return out;
  }

  const std::vector<Tensor>& in_;
  bool relu_;
  int64_t h_;
  std::vector<SequenceStep> steps_;
};

template <const Kind& K>
void backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(
      call, [attrs](const std::vector<Tensor>& in) { return Composed<K>(in, attrs).run(); });
}

template <const Kind& K>
std::string rule(Metas, const Attrs&) {
  const std::string cell = K.cell ? ",nh" : "", bias = K.bias ? ",g" : "";
  const std::string workspace = K.workspace > 0 ? ",rw" : "";
  return "rg,nh" + cell + ",gh" + bias + ",t->rh,nh" + cell + workspace + ";rnghwt";
}
template <const Kind& K>
std::string backward_rule(Metas, const Attrs&) {
  const std::string cell = K.cell ? ",nh" : "", bias = K.bias ? ",g" : "";
  const std::string workspace = K.workspace > 0 ? ",rw" : "";
  return "rh,nh" + cell + workspace + ",nh" + cell + ",gh,rh" + workspace + ",t->rg,nh" + cell +
         ",gh" + bias + ";rnghwt";
}

template <const Kind& K>
double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& gates = in[0]->sizes;
  return 2.0 * static_cast<double>(gates.numel() * in[1]->sizes[1]);
}

template <const Kind& K>
Attrs attrs_of(bool reverse, bool relu = false) {
  Attrs attrs = Attrs().add(reverse);
  return K.of == Recurrence::kTanh ? attrs.add(relu) : attrs;
}

// The batch sizes of the samples are drawn from 2..2, so that they fit: three steps of two.
template <const Kind& K>
Samples samples() {
  const auto inputs = [](int64_t rows, int64_t n, int64_t h, bool packed, bool bias) {
    std::vector<SampleInput> in = {normal({rows, K.gates * h}), normal({n, h})};
    if (K.cell) in.push_back(normal({n, h}));
    in.push_back(normal({K.gates * h, h}));
    if (K.bias) in.push_back(bias ? normal({K.gates * h}) : absent());
    in.push_back(packed ? ints({rows / 2}, 2, 3) : absent());
    return in;
  };
  return {{inputs(6, 2, 3, false, true), attrs_of<K>(false)},
          {inputs(4, 2, 2, true, false), attrs_of<K>(true, true)},
          {inputs(4, 3, 2, true, true), attrs_of<K>(false, true)},
          {inputs(1, 1, 17, false, true), attrs_of<K>(true)}};
}
template <const Kind& K>
Samples backward_samples() {
  const auto inputs = [](int64_t rows, int64_t n, int64_t h, bool packed, bool states) {
    std::vector<SampleInput> in = {normal({rows, h}), states ? normal({n, h}) : absent()};
    if (K.cell) in.push_back(states ? normal({n, h}) : absent());
    if (K.workspace > 0) in.push_back(states ? normal({rows, K.workspace * h}) : absent());
    in.push_back(normal({n, h}));
    if (K.cell) in.push_back(normal({n, h}));
    in.push_back(normal({K.gates * h, h}));
    in.push_back(unit({rows, h}));
    if (K.workspace > 0) in.push_back(unit({rows, K.workspace * h}));
    in.push_back(packed ? ints({rows / 2}, 2, 3) : absent());
    return in;
  };
  return {{inputs(6, 2, 3, false, true), attrs_of<K>(false)},
          {inputs(4, 3, 2, true, false), attrs_of<K>(true, true)}};
}

template <const Kind& K>
void vjp(VjpCall& call);

template <const Kind& K>
constexpr uint32_t saved() {
  uint32_t saves = saves_input(1) | saves_input(static_cast<int>(K.weight_at())) |
                   saves_input(static_cast<int>(K.sizes_at())) | saves_output(0);
  if (K.cell) saves |= saves_input(2);
  if (K.workspace > 0) saves |= saves_output(static_cast<int>(K.results()) - 1);
  return saves;
}

template <const Kind& K>
constexpr Op layer_op(const char* name, std::span<const AttrSpec> schema) {
  return {.name = name,
          .attrs = schema,
          .infer = infer<K>,
          .absent = ~3u,
          .rule = {.generate = rule<K>},
          .saves = saved<K>(),
          .flops = flops<K>,
          .vjp = vjp<K>,
          .kernels = {kernel<K>},
          .samples = samples<K>};
}
template <const Kind& K>
constexpr Op backward_op(const char* name, std::span<const AttrSpec> schema) {
  return {.name = name,
          .attrs = schema,
          .infer = backward_infer<K>,
          .absent = 0xffffffff,
          .rule = {.generate = backward_rule<K>},
          .saves = kSavesAllInputs,
          .vjp = backward_vjp<K>,
          .kernels = {backward_kernel<K>},
          .samples = backward_samples<K>};
}
constinit const Op kLstmLayer = layer_op<kLstm>("lstm_layer", kAttrs);
constinit const Op kGruLayer = layer_op<kGru>("gru_layer", kAttrs);
constinit const Op kRnnLayer = layer_op<kPlain>("rnn_layer", kPlainAttrs);
constinit const Op kLstmBackward = backward_op<kLstm>("lstm_layer_backward", kAttrs);
constinit const Op kGruBackward = backward_op<kGru>("gru_layer_backward", kAttrs);
constinit const Op kRnnBackward = backward_op<kPlain>("rnn_layer_backward", kPlainAttrs);

template <const Kind& K>
const Op& backward_of() {
  if (K.of == Recurrence::kLstm) return kLstmBackward;
  return K.of == Recurrence::kGru ? kGruBackward : kRnnBackward;
}

template <const Kind& K>
void vjp(VjpCall& call) {
  std::vector<Tensor> in;
  for (size_t r = 0; r < K.results(); ++r) in.push_back(call.grad(r));
  in.push_back(call.input(1));
  if (K.cell) in.push_back(call.input(2));
  in.push_back(call.input(K.weight_at()));
  in.push_back(call.output(0));
  if (K.workspace > 0) in.push_back(call.output(K.results() - 1));
  in.push_back(call.input(K.sizes_at()));
  std::vector<const Tensor*> operands;
  for (const Tensor& x : in) operands.push_back(&x);
  Tensor out[4];
  const size_t count = 3u + (K.cell || K.bias ? 1 : 0);
  call_op(backward_of<K>(), Inputs(operands.data(), operands.size()), call.attrs(),
          std::span(out, count));
  for (size_t i = 0; i < count; ++i) call.set(i, out[i]);
}

template <const Kind& K>
Layer run(const Op& op, Inputs in, const Attrs& attrs) {
  Tensor out[4];
  call_op(op, in, attrs, std::span(out, K.results()));
  return {out[0], out[1], K.cell ? out[2] : Tensor()};
}

}  // namespace

Layer lstm_layer(const Tensor& gates, const Tensor& hidden, const Tensor& cell,
                 const Tensor& weight, const Tensor& batch_sizes, bool reverse) {
  return run<kLstm>(kLstmLayer, {&gates, &hidden, &cell, &weight, &batch_sizes},
                    attrs_of<kLstm>(reverse));
}
Layer gru_layer(const Tensor& gates, const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                const Tensor& batch_sizes, bool reverse) {
  return run<kGru>(kGruLayer, {&gates, &hidden, &weight, &bias, &batch_sizes},
                   attrs_of<kGru>(reverse));
}
Layer rnn_layer(const Tensor& gates, const Tensor& hidden, const Tensor& weight,
                const Tensor& batch_sizes, bool reverse, bool relu) {
  return run<kPlain>(kRnnLayer, {&gates, &hidden, &weight, &batch_sizes},
                     attrs_of<kPlain>(reverse, relu));
}

OA_OP(recurrent, &kLstmLayer, &kLstmBackward, &kGruLayer, &kGruBackward, &kRnnLayer, &kRnnBackward)

}  // namespace oneagent
