// Calls that a plan joins into one, with the same results bit for bit.
#include <gtest/gtest.h>

#include "core/plan/plan.h"
#include "tests/support/graph_training.h"

namespace oneagent {
namespace {

using testing::Tensors;

size_t calls_of(const nn::Graph& graph, const std::string& op) {
  size_t count = 0;
  for (const ProgramNode& node : graph.plan().program.nodes) count += node.op->name == op;
  return count;
}

nn::AnyModule activation_of(const std::string& name) {
  if (name == "tanh") return nn::AnyModule(nn::Tanh());
  return name == "relu" ? nn::AnyModule(nn::ReLU()) : nn::AnyModule(nn::Sigmoid());
}

// Gradients of two layers, eagerly and as a plan; returns how many bias gradients were fused.
size_t expect_same_gradients(const std::string& activation, int64_t width, const Shape& x_sizes) {
  std::vector<Tensors> found;
  size_t fused = 0;
  for (const bool planned : {false, true}) {
    manual_seed(5);
    nn::Linear first(x_sizes.back(), width), second(width, width), last(width, 3);
    nn::AnyModule f = activation_of(activation);
    Tensors all;
    for (const nn::Linear& layer : {first, second, last})
      for (const Tensor& parameter : layer->parameters()) all.push_back(parameter);
    optim::SGD sgd(all, optim::SGDOptions(0.01));
    const auto gradients = [&](const Tensors& in) {
      Tensor h = f.forward(first->forward(in[0]));
      h = f.forward(second->forward(h));
      Tensor loss = last->forward(h).square().mean();
      loss.backward();
      return Tensors{loss};
    };
    nn::Graph graph(gradients);
    graph.add_optimizer(sgd);
    Tensors grads;
    for (int i = 0; i < 2; ++i) {
      const Tensor x = randn(x_sizes);
      if (planned) {
        graph({x});
      } else {
        sgd.zero_grad(true);
        gradients({x});
        sgd.step();
      }
      for (const Tensor& parameter : all) grads.push_back(parameter.grad().clone());
    }
    if (planned) fused = calls_of(graph, "bias_gradient");
    found.push_back(grads);
  }
  for (size_t i = 0; i < found[0].size(); ++i)
    EXPECT_TRUE(equal(found[0][i], found[1][i])) << activation << " " << width << " " << i;
  return fused;
}

TEST(GraphFuse, BiasGradients) {
  for (const char* activation : {"tanh", "relu", "sigmoid"}) {
    EXPECT_EQ(expect_same_gradients(activation, 64, {16, 4}), 2u) << activation;
    EXPECT_EQ(expect_same_gradients(activation, 200, {5, 3, 7}), 2u) << activation;
  }
  EXPECT_EQ(expect_same_gradients("tanh", 40, {5000, 3}), 2u);  // several blocks of rows
  EXPECT_EQ(expect_same_gradients("tanh", 24, {64, 4}), 0u);    // another order of sums
  EXPECT_EQ(expect_same_gradients("tanh", 36, {64, 4}), 0u);
}

// The gradient is changed between, or the sum is of something else: two calls stay.
TEST(GraphFuse, OnlyTheSumOfTheGradientItself) {
  const auto f = [](const Tensors& in) {
    Tensor y = in[0].tanh();
    Tensor g = y.mul(2);
    Tensor d = y.detach();
    return Tensors{g.sum(0), d.sum(0), y.sum(1)};
  };
  nn::Graph graph(f);
  const Tensor x = randn({8, 64});
  const Tensors eager = f({x}), planned = graph({x});
  for (size_t i = 0; i < eager.size(); ++i) EXPECT_TRUE(equal(eager[i], planned[i])) << i;
  EXPECT_EQ(calls_of(graph, "bias_gradient"), 0u);
}

// Called apart from the layer, out of place and in place; what is needed by itself stays.
TEST(GraphFuse, ActivationsOfLinearLayers) {
  manual_seed(9);
  nn::Linear layer(8, 20);
  const auto f = [&](const Tensors& in) {
    const NoGradGuard no_grad;
    Tensor r = layer->forward(in[0] * 2);
    r.relu_();
    const Tensor kept = layer->forward(in[0]);
    return Tensors{layer->forward(in[0] + 1).tanh() * 2, sigmoid(layer->forward(in[0] - 1)), r,
                   tanh(kept) + kept};
  };
  nn::Graph graph(f), plain(f, {.plan = {.fuse = false}});
  for (int i = 0; i < 2; ++i) {
    const Tensor x = randn({7, 8});
    const Tensors eager = f({x}), planned = graph({x}), apart = plain({x});
    for (size_t k = 0; k < eager.size(); ++k) {
      EXPECT_TRUE(equal(eager[k], planned[k])) << k;
      EXPECT_TRUE(equal(eager[k], apart[k])) << k;
    }
  }
  EXPECT_EQ(calls_of(graph, "tanh"), 1u) << print(graph.plan());
  EXPECT_EQ(calls_of(graph, "relu"), 0u) << print(graph.plan());
  EXPECT_EQ(calls_of(plain, "tanh"), 2u);
}

TEST(GraphFuse, ActivationsTrainAsBefore) {
  struct Net : nn::Module {
    Net() : first(6, 40), second(40, 3) {
      register_module("first", first);
      register_module("second", second);
    }
    Tensor forward(const Tensor& x) { return sigmoid(second->forward(relu(first->forward(x)))); }
    nn::Linear first, second;
  };
  testing::expect_same_training([] { return std::make_shared<Net>(); }, {10, 6}, {10, 3});
}

}  // namespace
}  // namespace oneagent
