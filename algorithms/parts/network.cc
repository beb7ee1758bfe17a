#include "algorithms/parts/network.h"

#include <cmath>

#include "algorithms/parts/layer_options.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

template <class Layer>
void initialise(Layer& layer, double gain, Generator& generator) {
  nn::init::orthogonal_(layer.weight, gain, generator);
  nn::init::zeros_(layer.bias);
}

}  // namespace

Encoder::Encoder(const Shape& observation_shape, const NetworkOptions& options,
                 Generator& generator)
    : activation_(options.activation == "relu" ? Activation::kRelu : Activation::kTanh),
      inputs_(observation_shape.numel()),
      convolution_(
          Convolution::make(observation_shape, options.convolution, activation_, generator)) {
  require_positive("hidden", options.hidden);
  if (convolution_ != nullptr) register_module("convolution", convolution_);
  int64_t width = convolution_ != nullptr ? convolution_->features() : inputs_;
  for (const int out : options.hidden) {
    nn::Linear layer(width, out);
    initialise(*layer, std::sqrt(2.0), generator);
    layers_.push_back(register_module(str("layer", layers_.size()), layer));
    width = out;
  }
  features_ = width;
}

Tensor Encoder::forward(const Tensor& observation) const {
  Tensor x = observation.dim() > 2 ? observation.flatten(1) : observation;
  if (convolution_ != nullptr) x = convolution_->forward(x);
  for (const auto& layer : layers_) x = layer->forward_then(x, activation_);
  return x;
}

nn::Linear make_head(int64_t in, int64_t out, double gain, Generator& generator) {
  nn::Linear head(in, out);
  initialise(*head, gain, generator);
  return head;
}

RecurrentCore::RecurrentCore(int64_t in, int64_t size, Generator& generator) : size_(size) {
  cell_ = register_module("cell", nn::GRUCell(in, size));
  nn::init::orthogonal_(cell_->weight_ih, 1.0, generator);
  nn::init::orthogonal_(cell_->weight_hh, 1.0, generator);
  nn::init::zeros_(cell_->bias_ih);
  nn::init::zeros_(cell_->bias_hh);
}

Tensor RecurrentCore::step(const Tensor& features, const Tensor& first, const Tensor& state) const {
  const Tensor keep = first.logical_not().to(DType::kFloat32).unsqueeze(1);
  return cell_->forward(features, state * keep);
}

Tensor RecurrentCore::sequence(const Tensor& features, const Tensor& first, Tensor state) const {
  std::vector<Tensor> states;
  for (int64_t t = 0; t < features.size(0); ++t) {
    state = step(features.select(0, t), first.select(0, t), state);
    states.push_back(state);
  }
  return stack(states, 0);
}

}  // namespace oneagent
