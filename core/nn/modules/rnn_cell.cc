#include "core/nn/modules/rnn_cell.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

template <class Derived>
RecurrentCell<Derived>::RecurrentCell(const detail::RecurrentCellOptions& options_)
    : options_base(options_) {
  reset();
}

template <class Derived>
void RecurrentCell<Derived>::reset() {
  const int64_t rows = options_base.num_chunks() * options_base.hidden_size();
  weight_ih = this->register_parameter("weight_ih", empty({rows, options_base.input_size()}));
  weight_hh = this->register_parameter("weight_hh", empty({rows, options_base.hidden_size()}));
  const bool with_bias = options_base.bias();
  bias_ih = this->register_parameter("bias_ih", with_bias ? empty({rows}) : Tensor(), with_bias);
  bias_hh = this->register_parameter("bias_hh", with_bias ? empty({rows}) : Tensor(), with_bias);
  reset_parameters();
}

template <class Derived>
void RecurrentCell<Derived>::reset_parameters() {
  const double limit =
      1 / std::sqrt(static_cast<double>(std::max<int64_t>(options_base.hidden_size(), 1)));
  for (const Tensor& weight : this->parameters()) init::uniform_(weight, -limit, limit);
}

template <class Derived>
void RecurrentCell<Derived>::pretty_print(std::ostream& out) const {
  const std::string name = this->name();  // "torch::nn::GRUCellImpl"
  const size_t from = name.rfind(':') + 1;
  Printed(out, name.substr(from, name.size() - from - 4))
      .value(options_base.input_size())
      .value(options_base.hidden_size())
      .with_if(!options_base.bias(), "bias", options_base.bias())
      .with_if(!nonlinearity_name().empty() && nonlinearity_name() != "kTanh", "nonlinearity",
               nonlinearity_name());
}

template <class Derived>
void RecurrentCell<Derived>::check_input(const Tensor& input) const {
  if (input.dim() < 2)
    throw IndexError(str("Dimension out of range: ", this->name(),
                         " expects an input of 2 dimensions, was shape ", input.sizes()));
  OA_REQUIRE(input.dim() == 2, this->name(), ": expected an input of 2 dimensions, was shape ",
             input.sizes());
  OA_REQUIRE(input.size(-1) == options_base.input_size(), "input has inconsistent input_size: got ",
             input.size(-1), " expected ", options_base.input_size());
}

template <class Derived>
Tensor RecurrentCell<Derived>::checked_state(const Tensor& input, const Tensor& state,
                                             const char* name) const {
  Shape sizes = input.sizes();
  sizes[sizes.size() - 1] = options_base.hidden_size();
  if (!state.defined()) return zeros(sizes, input.options());
  OA_REQUIRE(state.dim() != 2 || state.size(0) == sizes[0], "Input batch size ", sizes[0],
             " doesn't match ", name, " batch size ", state.size(0));
  OA_REQUIRE(state.dim() != 2 || state.size(1) == sizes[1], name,
             " has inconsistent hidden_size: got ", state.size(1), ", expected ", sizes[1]);
  OA_REQUIRE(state.sizes() == sizes, this->name(), ": expected ", name, " of shape ", sizes,
             " for an input of shape ", input.sizes(), ", was ", state.sizes());
  return state;
}

RNNCellImpl::RNNCellImpl(const RNNCellOptions& options_)
    : RecurrentCell({options_.input_size(), options_.hidden_size(), options_.bias(), 1}),
      options(options_) {}
std::string RNNCellImpl::nonlinearity_name() const {
  return enumtype::get_enum_name(options.nonlinearity());
}
Tensor RNNCellImpl::forward(const Tensor& input, Tensor hx) const {
  check_input(input);
  const Tensor h = checked_state(input, hx, "hidden");
  if (std::holds_alternative<enumtype::kTanh>(options.nonlinearity()))
    return rnn_tanh_cell(input, h, weight_ih, weight_hh, bias_ih, bias_hh);
  return rnn_relu_cell(input, h, weight_ih, weight_hh, bias_ih, bias_hh);
}

LSTMCellImpl::LSTMCellImpl(const LSTMCellOptions& options_)
    : RecurrentCell({options_.input_size(), options_.hidden_size(), options_.bias(), 4}),
      options(options_) {}
std::tuple<Tensor, Tensor> LSTMCellImpl::forward(
    const Tensor& input, std::optional<std::tuple<Tensor, Tensor>> hx_opt) const {
  check_input(input);
  const auto [h_in, c_in] = hx_opt.value_or(std::tuple<Tensor, Tensor>());
  const Tensor h = checked_state(input, h_in, "hx[0]"), c = checked_state(input, c_in, "hx[1]");
  return lstm_cell(input, {h, c}, weight_ih, weight_hh, bias_ih, bias_hh);
}

GRUCellImpl::GRUCellImpl(const GRUCellOptions& options_)
    : RecurrentCell({options_.input_size(), options_.hidden_size(), options_.bias(), 3}),
      options(options_) {}
Tensor GRUCellImpl::forward(const Tensor& input, Tensor hx) const {
  check_input(input);
  const Tensor h = checked_state(input, hx, "hidden");
  return gru_cell(input, h, weight_ih, weight_hh, bias_ih, bias_hh);
}

template class RecurrentCell<RNNCellImpl>;
template class RecurrentCell<LSTMCellImpl>;
template class RecurrentCell<GRUCellImpl>;

}  // namespace oneagent::nn
