// Modules, and what tests of static graphs do with them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/torch/graph.h"

namespace oneagent::testing {

using Tensors = std::vector<Tensor>;

inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

// Trains two equal modules, one eagerly and one as a graph, on the same data and random numbers;
// losses and parameters must be equal bit for bit.
template <class Make>
void expect_same_training(Make make, const Shape& x_sizes, const Shape& y_sizes, int steps = 6) {
  std::vector<Tensors> losses(2), states(2);
  for (int side = 0; side < 2; ++side) {
    manual_seed(7);
    auto net = make();
    optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
    const auto loss_of = [&](const Tensor& x, const Tensor& y) {
      Tensor loss = mse_loss(net->forward(x), y);
      loss.backward();
      return loss;
    };
    nn::Graph graph([&](const Tensors& in) { return Tensors{loss_of(in[0], in[1])}; });
    graph.add_optimizer(adam);
    for (int i = 0; i < steps; ++i) {
      const Tensor x = randn(x_sizes), y = randn(y_sizes);
      if (side == 1) {
        losses[1].push_back(graph({x, y})[0]);
        continue;
      }
      adam.zero_grad(true);
      losses[0].push_back(loss_of(x, y));
      adam.step();
    }
    for (const Tensor& parameter : net->parameters()) states[side].push_back(parameter);
    for (const Tensor& buffer : net->buffers()) states[side].push_back(buffer);
  }
  for (size_t i = 0; i < losses[0].size(); ++i)
    EXPECT_TRUE(equal(losses[0][i], losses[1][i])) << "loss of step " << i;
  for (size_t i = 0; i < states[0].size(); ++i)
    EXPECT_TRUE(equal(states[0][i], states[1][i])) << "parameter or buffer " << i;
}

struct Attention : nn::Module {
  Attention() : layer(nn::TransformerEncoderLayerOptions(16, 2).dim_feedforward(32)) {
    register_module("layer", layer);
  }
  Tensor forward(const Tensor& x) { return layer->forward(x); }
  nn::TransformerEncoderLayer layer;
};

struct Recurrent : nn::Module {
  Recurrent() : lstm(nn::LSTMOptions(6, 8).num_layers(2)) { register_module("lstm", lstm); }
  Tensor forward(const Tensor& x) { return std::get<0>(lstm->forward(x)); }
  nn::LSTM lstm;
};

struct Convolutional : nn::Module {
  Convolutional()
      : net(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1)), nn::BatchNorm2d(8),
            nn::ReLU(nn::ReLUOptions(true)), nn::MaxPool2d(2), nn::Flatten(),
            nn::Linear(8 * 4 * 4, 5)) {
    register_module("net", net);
  }
  Tensor forward(const Tensor& x) { return net->forward(x); }
  nn::Sequential net;
};

}  // namespace oneagent::testing
