// One step of a recurrent network, with PyTorch's gate order and equations. Inputs are [n, input]
// and [n, hidden], or without n; a state that is not given is 0.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/rnn.h"

namespace oneagent::nn {

template <class Derived>
class RecurrentCell : public Cloneable<Derived> {
 public:
  explicit RecurrentCell(const detail::RecurrentCellOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;

  detail::RecurrentCellOptions options_base;
  Tensor weight_ih, weight_hh;  // [gates hidden, input], [gates hidden, hidden]
  Tensor bias_ih, bias_hh;      // [gates hidden], or undefined

 protected:
  void check_input(const Tensor& input) const;
  // The state as [n, hidden] for an input [n, input]; zeros where it is undefined.
  Tensor checked_state(const Tensor& input, const Tensor& state, const char* name) const;
  virtual std::string nonlinearity_name() const { return ""; }
};

class RNNCellImpl : public RecurrentCell<RNNCellImpl> {
 public:
  RNNCellImpl(int64_t input_size, int64_t hidden_size)
      : RNNCellImpl(RNNCellOptions(input_size, hidden_size)) {}
  explicit RNNCellImpl(const RNNCellOptions& options_);
  Tensor forward(const Tensor& input, Tensor hx = {}) const;

  RNNCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
  std::string nonlinearity_name() const override;
};
TORCH_MODULE(RNNCell);

// i, f, g, o gates; the state is (h, c).
class LSTMCellImpl : public RecurrentCell<LSTMCellImpl> {
 public:
  LSTMCellImpl(int64_t input_size, int64_t hidden_size)
      : LSTMCellImpl(LSTMCellOptions(input_size, hidden_size)) {}
  explicit LSTMCellImpl(const LSTMCellOptions& options_);
  std::tuple<Tensor, Tensor> forward(const Tensor& input,
                                     std::optional<std::tuple<Tensor, Tensor>> hx_opt = {}) const;

  LSTMCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())})
};
TORCH_MODULE(LSTMCell);

// r, z, n gates; h' = (1 - z) n + z h.
class GRUCellImpl : public RecurrentCell<GRUCellImpl> {
 public:
  GRUCellImpl(int64_t input_size, int64_t hidden_size)
      : GRUCellImpl(GRUCellOptions(input_size, hidden_size)) {}
  explicit GRUCellImpl(const GRUCellOptions& options_);
  Tensor forward(const Tensor& input, Tensor hx = {}) const;

  GRUCellOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
};
TORCH_MODULE(GRUCell);

}  // namespace oneagent::nn
