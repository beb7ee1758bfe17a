#include "core/nn/modules/rnn.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

std::string spaced(const Shape& sizes) {  // "1 2 3", as messages of libtorch have it
  std::string out = str(sizes);
  std::erase_if(out, [](char c) { return c == '[' || c == ']' || c == ','; });
  return out;
}

}  // namespace
namespace {

int64_t gates_of(const detail::RecurrentOptions& options) {
  if (std::holds_alternative<enumtype::kLSTM>(options.mode())) return 4;
  return std::holds_alternative<enumtype::kGRU>(options.mode()) ? 3 : 1;
}

// Entries of each layer in the order of the batch that `indices` gives.
Tensor reordered(const Tensor& state, const Tensor& indices) {
  return indices.defined() ? state.index_select(1, indices) : state;
}

}  // namespace

template <class Derived>
Recurrent<Derived>::Recurrent(const detail::RecurrentOptions& options_) : options_base(options_) {
  reset();
}

template <class Derived>
void Recurrent<Derived>::reset() {
  const auto& options = options_base;
  OA_REQUIRE(options.dropout() >= 0 && options.dropout() <= 1,
             "dropout should be a number in range [0, 1] representing the probability of an "
             "element being zeroed");
  OA_REQUIRE(options.proj_size() >= 0 && options.proj_size() < options.hidden_size(),
             "proj_size has to be a positive integer, smaller than hidden_size or zero to disable "
             "projections");
  OA_REQUIRE(options.num_layers() > 0, "num_layers must be greater than zero, was ",
             options.num_layers());
  const int64_t rows = gates_of(options) * options.hidden_size();
  for (int64_t layer = 0; layer < options.num_layers(); ++layer)
    for (int64_t direction = 0; direction < directions(); ++direction) {
      const std::string suffix = str("_l", layer, direction == 1 ? "_reverse" : "");
      const int64_t in = layer == 0 ? options.input_size() : output_size() * directions();
      this->register_parameter("weight_ih" + suffix, empty({rows, in}));
      this->register_parameter("weight_hh" + suffix, empty({rows, output_size()}));
      if (options.bias()) {
        this->register_parameter("bias_ih" + suffix, empty({rows}));
        this->register_parameter("bias_hh" + suffix, empty({rows}));
      }
      if (options.proj_size() > 0)
        this->register_parameter("weight_hr" + suffix,
                                 empty({options.proj_size(), options.hidden_size()}));
    }
  reset_parameters();
}

template <class Derived>
void Recurrent<Derived>::reset_parameters() {
  const double limit = 1 / std::sqrt(static_cast<double>(options_base.hidden_size()));
  for (const Tensor& weight : this->parameters()) init::uniform_(weight, -limit, limit);
}

template <class Derived>
void Recurrent<Derived>::pretty_print(std::ostream& out) const {
  const std::string name = this->name();  // "torch::nn::LSTMImpl"
  const size_t from = name.rfind(':') + 1;
  const auto& options = options_base;
  Printed(out, name.substr(from, name.size() - from - 4))
      .with("input_size", options.input_size())
      .with("hidden_size", options.hidden_size())
      .with("num_layers", options.num_layers())
      .with("bias", options.bias())
      .with("batch_first", options.batch_first())
      .with("dropout", options.dropout())
      .with("bidirectional", options.bidirectional())
      .with_if(options.proj_size() > 0, "proj_size", options.proj_size());
}

template <class Derived>
int64_t Recurrent<Derived>::batch_of(const Tensor& input, const Tensor& batch_sizes) const {
  const int64_t expected = batch_sizes.defined() ? 2 : 3;
  if (input.dim() < 2)
    throw IndexError(str("Dimension out of range: input must have ", expected, " dimensions, got ",
                         input.dim()));
  OA_REQUIRE(input.dim() == expected, "input must have ", expected, " dimensions, got ",
             input.dim());
  OA_REQUIRE(input.size(-1) == options_base.input_size(),
             "input.size(-1) must be equal to input_size. Expected ", options_base.input_size(),
             ", got ", input.size(-1));
  if (batch_sizes.defined()) return batch_sizes[0].template item<int64_t>();
  return input.size(options_base.batch_first() ? 0 : 1);
}

template <class Derived>
Tensor Recurrent<Derived>::state_of(const Tensor& state, const Tensor& input, int64_t batch,
                                    int64_t size, const Tensor& sorted_indices,
                                    const char* name) const {
  const Shape sizes = {options_base.num_layers() * directions(), batch, size};
  if (!state.defined()) return zeros(sizes, input.options());
  OA_REQUIRE(state.sizes() == sizes, "Expected ", name, " size ", spaced(sizes), ", got ",
             state.sizes());
  return reordered(state, sorted_indices);
}

namespace {

struct Result {
  Tensor output, h, c;  // c of LSTM only
};

// What the functions of core/ops/recurrent.h take, of which the mode chooses one. batch_sizes is
// undefined where the input is padded.
Result run(const detail::RecurrentOptions& options, const std::vector<Tensor>& weights,
           bool training, const Tensor& input, const Tensor& batch_sizes, const Tensor& h,
           const Tensor& c) {
  const bool packed = batch_sizes.defined();
  OA_REQUIRE((packed ? batch_sizes.numel() : input.size(options.batch_first() ? 1 : 0)) > 0,
             "recurrent layer: expected at least one step");
  const bool bias = options.bias(), both = options.bidirectional(), first = options.batch_first();
  const int64_t layers = options.num_layers();
  const double p = options.dropout();
  if (std::holds_alternative<enumtype::kLSTM>(options.mode())) {
    const std::vector<Tensor> hx = {h, c};
    const auto [output, h_n, c_n] =
        packed ? lstm(input, batch_sizes, hx, weights, bias, layers, p, training, both)
               : lstm(input, hx, weights, bias, layers, p, training, both, first);
    return {output, h_n, c_n};
  }
  const auto with = [&](auto&& function) {
    const auto [output, h_n] =
        packed ? function(input, batch_sizes, h, weights, bias, layers, p, training, both)
               : function(input, h, weights, bias, layers, p, training, both, first);
    return Result{output, h_n, Tensor()};
  };
  if (std::holds_alternative<enumtype::kGRU>(options.mode()))
    return with([](const auto&... operands) { return gru(operands...); });
  if (std::holds_alternative<enumtype::kRNN_TANH>(options.mode()))
    return with([](const auto&... operands) { return rnn_tanh(operands...); });
  return with([](const auto&... operands) { return rnn_relu(operands...); });
}

Result run_packed(const detail::RecurrentOptions& options, const std::vector<Tensor>& weights,
                  bool training, const utils::rnn::PackedSequence& packed, const Tensor& h,
                  const Tensor& c) {
  return run(options, weights, training, packed.data(), packed.batch_sizes(), h, c);
}

utils::rnn::PackedSequence like(const utils::rnn::PackedSequence& packed, const Tensor& data) {
  return utils::rnn::PackedSequence(data, packed.batch_sizes(), packed.sorted_indices(),
                                    packed.unsorted_indices());
}

}  // namespace

template <class Derived>
std::tuple<Tensor, Tensor> HiddenRecurrent<Derived>::forward(const Tensor& input, Tensor hx) const {
  const int64_t batch = this->batch_of(input, {});
  const Tensor state = this->state_of(hx, input, batch, this->output_size(), {}, "hidden");
  const Result result =
      run(this->options_base, this->all_weights(), this->is_training(), input, {}, state, {});
  return {result.output, result.h};
}

template <class Derived>
std::tuple<utils::rnn::PackedSequence, Tensor> HiddenRecurrent<Derived>::forward_with_packed_input(
    const utils::rnn::PackedSequence& packed, Tensor hx) const {
  const int64_t batch = this->batch_of(packed.data(), packed.batch_sizes());
  const Tensor state = this->state_of(hx, packed.data(), batch, this->output_size(),
                                      packed.sorted_indices(), "hidden");
  const Result result =
      run_packed(this->options_base, this->all_weights(), this->is_training(), packed, state, {});
  return {like(packed, result.output), reordered(result.h, packed.unsorted_indices())};
}

namespace {

detail::RecurrentOptions base_of(const RNNOptions& options) {
  const bool relu = std::holds_alternative<enumtype::kReLU>(options.nonlinearity());
  return detail::RecurrentOptions(relu ? detail::RecurrentOptions::mode_t(kRNN_RELU) : kRNN_TANH,
                                  options.input_size(), options.hidden_size())
      .num_layers(options.num_layers())
      .bias(options.bias())
      .batch_first(options.batch_first())
      .dropout(options.dropout())
      .bidirectional(options.bidirectional());
}
detail::RecurrentOptions base_of(const GRUOptions& options) {
  return detail::RecurrentOptions(kGRU, options.input_size(), options.hidden_size())
      .num_layers(options.num_layers())
      .bias(options.bias())
      .batch_first(options.batch_first())
      .dropout(options.dropout())
      .bidirectional(options.bidirectional());
}
detail::RecurrentOptions base_of(const LSTMOptions& options) {
  return detail::RecurrentOptions(kLSTM, options.input_size(), options.hidden_size())
      .num_layers(options.num_layers())
      .bias(options.bias())
      .batch_first(options.batch_first())
      .dropout(options.dropout())
      .bidirectional(options.bidirectional())
      .proj_size(options.proj_size());
}

}  // namespace

RNNImpl::RNNImpl(const RNNOptions& options_)
    : HiddenRecurrent(base_of(options_)), options(options_) {}
GRUImpl::GRUImpl(const GRUOptions& options_)
    : HiddenRecurrent(base_of(options_)), options(options_) {}
LSTMImpl::LSTMImpl(const LSTMOptions& options_) : Recurrent(base_of(options_)), options(options_) {}

std::tuple<Tensor, LSTMImpl::State> LSTMImpl::forward(const Tensor& input,
                                                      std::optional<State> hx_opt) const {
  const auto [h, c] = hx_opt.value_or(State());
  const int64_t batch = batch_of(input, {});
  const Result result = run(options_base, all_weights(), is_training(), input, {},
                            state_of(h, input, batch, output_size(), {}, "hidden[0]"),
                            state_of(c, input, batch, options.hidden_size(), {}, "hidden[1]"));
  return {result.output, State(result.h, result.c)};
}

std::tuple<utils::rnn::PackedSequence, LSTMImpl::State> LSTMImpl::forward_with_packed_input(
    const utils::rnn::PackedSequence& packed, std::optional<State> hx_opt) const {
  const auto [h, c] = hx_opt.value_or(State());
  const Tensor &data = packed.data(), &sorted = packed.sorted_indices();
  const int64_t batch = batch_of(data, packed.batch_sizes());
  const Result result =
      run_packed(options_base, all_weights(), is_training(), packed,
                 state_of(h, data, batch, output_size(), sorted, "hidden[0]"),
                 state_of(c, data, batch, options.hidden_size(), sorted, "hidden[1]"));
  return {like(packed, result.output), State(reordered(result.h, packed.unsorted_indices()),
                                             reordered(result.c, packed.unsorted_indices()))};
}

template class Recurrent<RNNImpl>;
template class Recurrent<GRUImpl>;
template class Recurrent<LSTMImpl>;
template class HiddenRecurrent<RNNImpl>;
template class HiddenRecurrent<GRUImpl>;

}  // namespace oneagent::nn
