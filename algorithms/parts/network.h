// The networks that policy-gradient algorithms share: an encoder (optional convolution, MLP), an
// optional recurrent core, heads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/parts/convolution.h"
#include "core/nn/nn.h"

namespace oneagent {

struct NetworkOptions {
  std::vector<int> hidden = {64, 64};  // widths of the MLP
  std::string activation = "tanh";
  ConvolutionOptions convolution = {};  // before the MLP
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
  std::shared_ptr<Convolution> convolution_;  // or null
  std::vector<nn::Linear> layers_;
};

// A linear layer with orthogonal weights of the given gain and zero bias.
nn::Linear make_head(int64_t in, int64_t out, double gain, Generator& generator);

// A GRU over time that forgets its state where an episode starts.
class RecurrentCore final : public nn::Module {
 public:
  RecurrentCore(int64_t in, int64_t size, Generator& generator);
  // One step: features [N, in], first [N] bool, state [N, size] -> next state (which is the
  // output).
  Tensor step(const Tensor& features, const Tensor& first, const Tensor& state) const;
  // A sequence: features [T, N, in], first [T, N], state [N, size] -> [T, N, size].
  Tensor sequence(const Tensor& features, const Tensor& first, Tensor state) const;
  int64_t size() const { return size_; }

 private:
  int64_t size_;
  nn::GRUCell cell_ = nullptr;
};

}  // namespace oneagent
