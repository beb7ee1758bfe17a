// Graphs in mixed precision, and the GradScaler.
#include <gmock/gmock.h>

#include "core/plan/plan.h"
#include "core/torch/recompute.h"
#include "tests/support/graph_training.h"

namespace oneagent {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::Tensors;

nn::Sequential mlp() {
  return nn::Sequential(nn::Linear(8, 32), nn::ReLU(), nn::Linear(32, 32), nn::Tanh(),
                        nn::Linear(32, 1));
}

// Losses of steps of Adam, learning the product of two features.
std::vector<double> losses_of(DType amp, int steps = 150) {
  manual_seed(11);
  nn::Sequential net = mlp();
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
  nn::Graph graph(
      [&](const Tensors& in) {
        Tensor loss = mse_loss(net->forward(in[0]), in[1]);
        loss.backward();
        return Tensors{loss};
      },
      {.amp = amp});
  graph.add_optimizer(adam);
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) {
    const Tensor x = randn({64, 8});
    losses.push_back(graph({x, (x.select(1, 0) * x.select(1, 1)).unsqueeze(1)})[0].item<double>());
  }
  EXPECT_EQ(net->parameters()[0].dtype(), DType::kFloat32);
  EXPECT_EQ(net->parameters()[0].grad().dtype(), DType::kFloat32);
  return losses;
}

double mean_of_last(const std::vector<double>& losses) {
  double sum = 0;
  for (size_t i = losses.size() - 20; i < losses.size(); ++i) sum += losses[i] / 20;
  return sum;
}

TEST(GraphAmp, LearnsAsInFloat32) {
  const std::vector<double> full = losses_of(DType::kFloat32);
  for (const DType amp : {kBFloat16, kHalf}) {
    const std::vector<double> half = losses_of(amp);
    EXPECT_NE(half[0], full[0]);
    for (size_t i = 0; i < 10; ++i) EXPECT_NEAR(half[i], full[i], 0.02 * full[i]) << i;
    EXPECT_NEAR(mean_of_last(half), mean_of_last(full), 0.25 * mean_of_last(full));
    EXPECT_LT(mean_of_last(half), 0.5 * half[0]);
  }
}

// Products in 16 bits, the loss in 32, nothing cast twice.
TEST(GraphAmp, ProductsAloneAreInHalf) {
  nn::Sequential net = mlp();
  nn::Graph graph(
      [&](const Tensors& in) {
        Tensor loss = net->forward(in[0]).softmax(0).square().mean();
        loss.backward();
        return Tensors{loss};
      },
      {.amp = kBFloat16});
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1));
  graph.add_optimizer(sgd);
  graph({randn({4, 8})});
  const Program& program = graph.plan().program;
  size_t products = 0, casts = 0;
  for (const ProgramNode& node : program.nodes) {
    const std::string op = node.op->name;
    const DType type = program.meta(node.out[0]).dtype;
    if (op == "linear" || op == "mm") {
      ++products;
      EXPECT_EQ(type, DType::kBFloat16) << print(program, node);
    }
    if (op == "softmax" || op == "mean" || op == "sum") {
      EXPECT_EQ(type, DType::kFloat32) << op;
    }
    casts += op == "to";
  }
  EXPECT_EQ(products, 3u + 5u);
  // x; 3 weights and biases; softmax's operand and gradient; 3 gradients of weights, 3 of biases.
  EXPECT_LE(casts, 1u + 6u + 2u + 6u) << print(program);
}

TEST(GraphAmp, ConvolutionsAndAttentionRun) {
  for (const DType amp : {kBFloat16, kHalf}) {
    auto conv = std::make_shared<testing::Convolutional>();
    auto attention = std::make_shared<testing::Attention>();
    optim::SGD sgd(conv->parameters(), optim::SGDOptions(0.01));
    sgd.add_param_group(optim::OptimizerParamGroup(attention->parameters()));
    const auto f = [&](const Tensors& in) {
      Tensor loss = conv->forward(in[0]).square().mean() + attention->forward(in[1]).abs().mean();
      return loss;
    };
    nn::Graph graph(
        [&](const Tensors& in) {
          Tensor loss = f(in);
          loss.backward();
          return Tensors{loss};
        },
        {.amp = amp});
    graph.add_optimizer(sgd);
    const Tensors in = {randn({4, 3, 8, 8}), randn({5, 3, 16})};
    attention->eval();
    const double expected = f(in).item<double>();
    EXPECT_NEAR(graph(in)[0].item<double>(), expected, 0.03 * expected);
    EXPECT_GT(conv->parameters()[0].grad().abs().sum().item<double>(), 0);
  }
}

TEST(GraphAmp, SmallGradientsSurvive) {
  const auto gradient_of = [](DType amp, double scale) {
    const Tensor w = full({1, 4}, 1.0, requires_grad());
    optim::SGD sgd({w}, optim::SGDOptions(0.0));
    nn::Graph graph(
        [&](const Tensors& in) {
          Tensor loss = linear(in[0], w).sum() * 1e-9;
          loss.backward();
          return Tensors{loss};
        },
        {.amp = amp});
    graph.scaler().set_scale(scale);
    graph.add_optimizer(sgd);
    graph({ones({2, 4})});
    return w.grad().sum().item<double>();
  };
  EXPECT_EQ(gradient_of(kHalf, 1), 0);
  EXPECT_NEAR(gradient_of(kHalf, 65536), 8e-9, 1e-10);
  EXPECT_NEAR(gradient_of(kFloat32, 65536), 8e-9, 1e-15);
}

TEST(GraphAmp, StepsThatOverflowAreLeftOut) {
  const Tensor w = full({1, 4}, 1.0, requires_grad());
  optim::SGD sgd({w}, optim::SGDOptions(0.5));
  nn::Graph graph(
      [&](const Tensors& in) {
        Tensor loss = linear(in[0], w).mean();
        loss.backward();
        return Tensors{loss};
      },
      {.amp = kHalf});
  graph.add_optimizer(sgd);
  EXPECT_EQ(graph.scaler().get_scale(), 65536);
  graph({full({1, 4}, 100.0)});  // 6553600 is more than 65504
  EXPECT_TRUE(equal(w, full({1, 4}, 1.0)));
  EXPECT_EQ(graph.scaler().skipped_steps(), 1);
  EXPECT_EQ(graph.scaler().get_scale(), 32768);
  graph({full({1, 4}, 0.25)});
  EXPECT_TRUE(equal(w, full({1, 4}, 0.875)));
  EXPECT_EQ(graph.scaler().growth_tracker(), 1);
}

// The gradients of a checkpoint are divided once, too.
TEST(GraphAmp, CheckpointsSeeTheScale) {
  std::vector<Tensors> found;
  for (const bool recompute : {false, true}) {
    manual_seed(4);
    nn::Linear first(8, 16), second(16, 16), last(16, 1);
    Tensors all;
    for (const nn::Linear& layer : {first, second, last})
      for (const Tensor& parameter : layer->parameters()) all.push_back(parameter);
    optim::SGD sgd(all, optim::SGDOptions(0.0));
    const auto block = [&](const Tensor& h) { return second->forward(h).tanh(); };
    nn::Graph graph(
        [&](const Tensors& in) {
          const Tensor h = first->forward(in[0]).tanh();
          Tensor loss = last->forward(recompute ? nn::checkpoint(block, h) : block(h)).mean();
          loss.backward();
          return Tensors{loss};
        },
        {.amp = kHalf});
    graph.add_optimizer(sgd);
    graph.scaler().set_scale(1024);
    graph({randn({32, 8})});
    Tensors grads;
    for (const Tensor& parameter : all) grads.push_back(parameter.grad().clone());
    found.push_back(grads);
  }
  for (size_t i = 0; i < found[0].size(); ++i) {
    EXPECT_GT(found[0][i].abs().max().item<double>(), 0) << i;
    EXPECT_TRUE(allclose(found[0][i], found[1][i], 0.02, 1e-4)) << i;
  }
}

TEST(GraphAmp, OtherTypesAreRefused) {
  EXPECT_THAT(
      error_of([] { nn::Graph graph([](const Tensors& in) { return in; }, {.amp = kInt}); }),
      HasSubstr("amp must be kBFloat16, kHalf"));
}

TEST(GradScaler, GrowsAndShrinks) {
  nn::GradScaler scaler({.init_scale = 8, .growth_interval = 3});
  const Tensor w = full({2}, 1.0, requires_grad());
  optim::SGD sgd({w}, optim::SGDOptions(0.5));
  for (int i = 0; i < 3; ++i) {
    sgd.zero_grad();
    scaler.scale(w.sum()).backward();
    EXPECT_EQ(w.grad()[0].item<double>(), 8);
    EXPECT_TRUE(scaler.step(sgd));
    scaler.update();
  }
  EXPECT_TRUE(equal(w, full({2}, -0.5)));
  EXPECT_EQ(scaler.get_scale(), 16);
  w.mutable_grad() = full({2}, std::numeric_limits<double>::infinity());
  scaler.unscale_(sgd);
  EXPECT_THAT(error_of([&] { scaler.unscale_(sgd); }), HasSubstr("already been called"));
  EXPECT_FALSE(scaler.step(sgd));
  scaler.update();
  EXPECT_EQ(scaler.get_scale(), 8);
  EXPECT_TRUE(equal(w, full({2}, -0.5)));
  EXPECT_THAT(error_of([] { nn::GradScaler({.growth_factor = 1}); }), HasSubstr("must be > 1"));
}

}  // namespace
}  // namespace oneagent
