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
          Convolution::make(observation_shape, options.convolution, activation_, generator)),
      entities_(EntityTransformer::make(inputs_, options.entities, generator)) {
  require_positive("hidden", options.hidden);
  OA_REQUIRE(convolution_ == nullptr || entities_ == nullptr,
             "[algorithm] entities: channels see the observation as an image; leave one of them "
             "out");
  int64_t width = inputs_;
  if (convolution_ != nullptr) {
    register_module("convolution", convolution_);
    width = convolution_->features();
  }
  if (entities_ != nullptr) {
    register_module("entities", entities_);
    width = entities_->features();
  }
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
  if (entities_ != nullptr) x = entities_->forward(x);
  for (const auto& layer : layers_) x = layer->forward_then(x, activation_);
  return x;
}

nn::Linear make_head(int64_t in, int64_t out, double gain, Generator& generator) {
  nn::Linear head(in, out);
  initialise(*head, gain, generator);
  return head;
}

RecurrentCore::RecurrentCore(Kind kind, int64_t in, int64_t size, Generator& generator)
    : kind_(kind), size_(size) {
  const auto start = [&](auto& cell) {
    nn::init::orthogonal_(cell->weight_ih, 1.0, generator);
    nn::init::orthogonal_(cell->weight_hh, 1.0, generator);
    nn::init::zeros_(cell->bias_ih);
    nn::init::zeros_(cell->bias_hh);
  };
  if (kind_ == Kind::kGru)
    start(gru_ = register_module("cell", nn::GRUCell(in, size)));
  else
    start(lstm_ = register_module("cell", nn::LSTMCell(in, size)));
}

Tensor RecurrentCore::step(const Tensor& features, const Tensor& first, const Tensor& state) const {
  const Tensor kept = state * first.logical_not().to(state.scalar_type()).unsqueeze(1);
  if (kind_ == Kind::kGru) return gru_->forward(features, kept);
  const auto [output, cell] = lstm_->forward(
      features, std::make_tuple(kept.narrow(1, 0, size_), kept.narrow(1, size_, size_)));
  return cat({output, cell}, 1);
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
