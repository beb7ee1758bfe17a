#include "algorithms/parts/network.h"

#include <cmath>

namespace oneagent {
namespace {

template <class Layer>
void initialise(Layer& layer, double gain, Generator& generator) {
  nn::init::orthogonal_(layer.weight, gain, generator);
  nn::init::zeros_(layer.bias);
}

}  // namespace

Encoder::Encoder(const Shape& observation_shape, const NetworkOptions& options, Generator& generator)
    : relu_(options.activation == "relu") {
  OA_REQUIRE(options.channels.empty() || observation_shape.size() == 3,
             "network: channels need [C, H, W] observations, was ", observation_shape);
  const double gain = std::sqrt(2.0);
  int64_t width = observation_shape.numel();
  if (!options.channels.empty()) {
    int64_t channels = observation_shape[0];
    for (const int out : options.channels) {
      nn::Conv2d layer(nn::Conv2dOptions(channels, out, 3).padding(1));
      initialise(*layer, gain, generator);
      convolutions_.push_back(register_module(str("convolution", convolutions_.size()), layer));
      channels = out;
    }
    width = channels * observation_shape[1] * observation_shape[2];
  }
  for (const int out : options.hidden) {
    nn::Linear layer(width, out);
    initialise(*layer, gain, generator);
    layers_.push_back(register_module(str("layer", layers_.size()), layer));
    width = out;
  }
  features_ = width;
}

Tensor Encoder::forward(const Tensor& observation) const {
  Tensor x = observation;
  for (const auto& convolution : convolutions_) x = activate(convolution->forward(x));
  if (x.dim() > 2) x = x.flatten(1);
  for (const auto& layer : layers_) x = activate(layer->forward(x));
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
