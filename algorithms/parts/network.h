// The networks that policy-gradient algorithms share: an encoder (optional convolution or
// transformer over entities, MLP), an optional recurrent core, heads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/parts/convolution.h"
#include "algorithms/parts/entity_transformer.h"
#include "core/nn/nn.h"

namespace oneagent {

struct NetworkOptions {
  std::vector<int> hidden = {64, 64};  // widths of the MLP
  std::string activation = "tanh";
  ConvolutionOptions convolution = {};  // before the MLP
  EntityOptions entities = {};          // likewise
};

// Observation rows -> features. Orthogonal weights with gain sqrt(2), biases 0 (Engstrom et al.
// 2020, "Implementation matters").
class Encoder final : public nn::Module {
 public:
  Encoder(const Shape& observation_shape, const NetworkOptions& options, Generator& generator);
  Tensor forward(const Tensor& observation) const;  // [rows, ...] -> [rows, features()]
  int64_t inputs() const { return inputs_; }
  int64_t features() const { return features_; }

 private:
  Activation activation_;
  int64_t inputs_, features_ = 0;
  std::shared_ptr<Convolution> convolution_;     // or null
  std::shared_ptr<EntityTransformer> entities_;  // or null
  std::vector<nn::Linear> layers_;
};

// A linear layer with orthogonal weights of the given gain and zero bias.
nn::Linear make_head(int64_t in, int64_t out, double gain, Generator& generator);

// A GRU or an LSTM over time that forgets its state where an episode starts. An LSTM's state is its
// output and its cell, side by side.
class RecurrentCore final : public nn::Module {
 public:
  enum class Kind { kGru, kLstm };
  RecurrentCore(Kind kind, int64_t in, int64_t size, Generator& generator);
  // One step: features [N, in], first [N] bool, state [N, state_size()] -> next state.
  Tensor step(const Tensor& features, const Tensor& first, const Tensor& state) const;
  // States [..., state_size()] -> outputs [..., size].
  Tensor output(const Tensor& states) const {
    return kind_ == Kind::kLstm ? states.narrow(-1, 0, size_) : states;
  }
  // A sequence: features [T, N, in], first [T, N], state [N, state_size()] -> states [T, N, ...].
  Tensor sequence(const Tensor& features, const Tensor& first, Tensor state) const;
  int64_t size() const { return size_; }
  int64_t state_size() const { return kind_ == Kind::kLstm ? 2 * size_ : size_; }

 private:
  Kind kind_;
  int64_t size_;
  nn::GRUCell gru_ = nullptr;
  nn::LSTMCell lstm_ = nullptr;
};

}  // namespace oneagent
