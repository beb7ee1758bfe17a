// Recurrent layers over sequences [steps, batch, input] (or, batch_first, [batch, steps, input]),
// with PyTorch's weights: weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, for the other
// direction _reverse, for projections weight_hr_l0.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/rnn.h"
#include "core/nn/utils/rnn.h"

namespace oneagent::nn {

template <class Derived>
class Recurrent : public Cloneable<Derived> {
 public:
  explicit Recurrent(const detail::RecurrentOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;
  void flatten_parameters() {}  // weights need no special place
  std::vector<Tensor> all_weights() const { return this->parameters(false); }

  detail::RecurrentOptions options_base;

 protected:
  int64_t output_size() const {
    return options_base.proj_size() > 0 ? options_base.proj_size() : options_base.hidden_size();
  }
  int64_t directions() const { return options_base.bidirectional() ? 2 : 1; }
  // The size of the batch of an input, which is checked.
  int64_t batch_of(const Tensor& input, const Tensor& batch_sizes) const;
  // A state [layers directions, batch, size]: zeros where undefined, else checked and sorted.
  Tensor state_of(const Tensor& state, const Tensor& input, int64_t batch, int64_t size,
                  const Tensor& sorted_indices, const char* name) const;
};

// RNN and GRU.
template <class Derived>
class HiddenRecurrent : public Recurrent<Derived> {
 public:
  using Recurrent<Derived>::Recurrent;
  // The outputs of the last layer and the last state of each; hx: the first ones, or zeros.
  std::tuple<Tensor, Tensor> forward(const Tensor& input, Tensor hx = {}) const;
  std::tuple<utils::rnn::PackedSequence, Tensor> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, Tensor hx = {}) const;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
};

class RNNImpl : public HiddenRecurrent<RNNImpl> {
 public:
  RNNImpl(int64_t input_size, int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
  explicit RNNImpl(const RNNOptions& options_);
  RNNOptions options;
};
TORCH_MODULE(RNN);

class GRUImpl : public HiddenRecurrent<GRUImpl> {
 public:
  GRUImpl(int64_t input_size, int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
  explicit GRUImpl(const GRUOptions& options_);
  GRUOptions options;
};
TORCH_MODULE(GRU);

class LSTMImpl : public Recurrent<LSTMImpl> {
 public:
  using State = std::tuple<Tensor, Tensor>;  // h, c
  LSTMImpl(int64_t input_size, int64_t hidden_size)
      : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
  explicit LSTMImpl(const LSTMOptions& options_);
  std::tuple<Tensor, State> forward(const Tensor& input, std::optional<State> hx_opt = {}) const;
  std::tuple<utils::rnn::PackedSequence, State> forward_with_packed_input(
      const utils::rnn::PackedSequence& packed_input, std::optional<State> hx_opt = {}) const;
  LSTMOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<std::tuple<Tensor, Tensor>>())})
};
TORCH_MODULE(LSTM);

}  // namespace oneagent::nn
