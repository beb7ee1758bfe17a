#include "core/torch/graph.h"

#include <gmock/gmock.h>

#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "tests/support/graph_training.h"

namespace oneagent {
namespace {

using testing::Attention;
using testing::Convolutional;
using testing::error_of;
using testing::expect_same_training;
using ::testing::HasSubstr;
using testing::Recurrent;
using testing::Tensors;

TEST(Graph, TrainsAnMlpBitForBit) {
  expect_same_training(
      [] {
        return nn::Sequential(nn::Linear(4, 64), nn::Tanh(), nn::Linear(64, 64), nn::ReLU(),
                              nn::Linear(64, 2));
      },
      {32, 4}, {32, 2});
}

TEST(Graph, DrawsTheSameRandomNumbers) {
  expect_same_training(
      [] {
        return nn::Sequential(nn::Linear(8, 32), nn::Dropout(0.3), nn::ReLU(), nn::Linear(32, 32),
                              nn::Dropout(0.5), nn::Linear(32, 3));
      },
      {16, 8}, {16, 3});
}

TEST(Graph, UpdatesRunningStatistics) {
  expect_same_training([] { return std::make_shared<Convolutional>(); }, {4, 3, 8, 8}, {4, 5});
}

TEST(Graph, TrainsATransformerLayer) {
  expect_same_training([] { return std::make_shared<Attention>(); }, {5, 3, 16}, {5, 3, 16});
}

TEST(Graph, TrainsALstm) {
  expect_same_training([] { return std::make_shared<Recurrent>(); }, {5, 3, 6}, {5, 3, 8});
}

TEST(Graph, ViewsAndInPlaceChanges) {
  const auto f = [](const Tensors& in) {
    Tensor x = in[0] * 2;
    x.narrow(0, 1, 2).add_(in[1]);
    Tensor y = x.t().contiguous();
    y[0].mul_(3);
    x.fill_diagonal_(-1);
    return Tensors{x, y, x.flatten()};
  };
  nn::Graph graph(f);
  for (int i = 0; i < 3; ++i) {
    const Tensors in = {randn({3, 3}), randn({2, 3})};
    const Tensors eager = f(in), planned = graph(in);
    for (size_t k = 0; k < eager.size(); ++k) EXPECT_TRUE(equal(eager[k], planned[k])) << k;
  }
}

TEST(Graph, ResultsKeepTheirValues) {
  nn::Graph graph([](const Tensors& in) { return Tensors{in[0] + 1}; });
  const Tensor first = graph({zeros({3})})[0];
  const Tensor second = graph({ones({3})})[0];
  EXPECT_TRUE(equal(first, full({3}, 1.0)));
  EXPECT_TRUE(equal(second, full({3}, 2.0)));
}

TEST(Graph, StridedInputsAndOtherShapes) {
  nn::Graph graph([](const Tensors& in) { return Tensors{in[0].sum(0) * 2}; });
  const Tensor x = randn({4, 6});
  EXPECT_TRUE(equal(graph({x.t()})[0], x.t().sum(0) * 2));
  EXPECT_TRUE(equal(graph({x})[0], x.sum(0) * 2));
  EXPECT_TRUE(equal(graph({x.slice(0, 1, 3)})[0], x.slice(0, 1, 3).sum(0) * 2));
  EXPECT_EQ(graph.plan_count(), 3u);
}

TEST(Graph, RefusesControlByValues) {
  nn::Graph graph(
      [](const Tensors& in) { return Tensors{in[0].sum().item<float>() > 0 ? in[0] : -in[0]}; });
  EXPECT_THAT(error_of([&] { graph({ones({2})}); }), HasSubstr("values of a tensor are asked for"));
  EXPECT_TRUE(equal(ones({2}) + 1, full({2}, 2.0)));  // ops compute again
}

TEST(Graph, GradientsStayWhereRecordingFails) {
  const Tensor w = ones({2}, requires_grad());
  w.mutable_grad() = full({2}, 5.0);
  optim::SGD sgd({w}, optim::SGDOptions(0.1));
  nn::Graph graph([&](const Tensors&) -> Tensors {
    (w * 2).sum().backward();
    throw std::runtime_error("no");
  });
  graph.add_optimizer(sgd);
  EXPECT_THROW(graph({}), std::runtime_error);
  EXPECT_TRUE(equal(w.grad(), full({2}, 5.0)));
}

// Chains of elementwise calls, longer than a block and with operands of one element.
TEST(Graph, ElementwiseRunsAreFused) {
  const auto f = [](const Tensors& in) {
    const Tensor &x = in[0], &y = in[1], &c = in[2];
    Tensor a = exp(x * c) - y;
    Tensor b = maximum(a, x) * sqrt(abs(y) + 1.0);
    a.mul_(b).add_(c);
    const Tensor kept = where(a > b, a, b) / 3;
    return Tensors{kept, (kept - a).square(), b.narrow(0, 1, 2) + 1};
  };
  for (const int64_t n : {5, 341, 1025, 40000}) {
    nn::Graph graph(f);
    for (int i = 0; i < 2; ++i) {
      const Tensors in = {randn({n, 3}), randn({n, 3}), randn({})};
      const Tensors eager = f(in), planned = graph(in);
      for (size_t k = 0; k < eager.size(); ++k)
        EXPECT_TRUE(equal(eager[k], planned[k])) << n << " rows, result " << k;
    }
    size_t fused = 0;
    for (const PlanStep& step : graph.plan().steps) fused = std::max(fused, step.nodes.size());
    EXPECT_GE(fused, 8u) << print(graph.plan());
  }
}

TEST(Graph, ActingDrawsFromItsOwnGenerator) {
  Generator eager_draws(3), planned_draws(3);
  const Tensor weights = softmax(randn({6, 4}), -1);
  const auto f = [&](Generator& generator) { return multinomial(weights, 1, true, generator); };
  nn::Graph graph([&](const Tensors&) { return Tensors{f(planned_draws)}; });
  graph.set_generator(planned_draws);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(equal(f(eager_draws), graph({})[0])) << i;
  EXPECT_EQ(eager_draws.state().position, planned_draws.state().position);
  nn::Graph wrong([&](const Tensors&) { return Tensors{f(planned_draws)}; });
  EXPECT_THAT(error_of([&] { wrong({}); }), HasSubstr("another generator"));
}

TEST(Graph, ParametersWithNewMemoryAreRecordedAgain) {
  Tensor w = ones({2}, requires_grad());
  nn::Graph graph([&](const Tensors&) { return Tensors{w * 2}; });
  graph.add_parameters({w});
  EXPECT_TRUE(equal(graph({})[0], full({2}, 2.0)));
  w.set_data(full({2}, 5.0));
  EXPECT_TRUE(equal(graph({})[0], full({2}, 10.0)));
}

// A gradient that comes out of an elementwise call lies in memory of its own, not in the operand's.
TEST(Graph, ElementwiseGradientsAreKept) {
  Tensor w = full({3}, 0.5, requires_grad());
  nn::Graph graph([&](const Tensors& in) {
    Tensor loss = exp(w * in[0]).sum();
    loss.backward();
    return Tensors{loss};
  });
  optim::SGD sgd({w}, optim::SGDOptions(0.0));
  graph.add_optimizer(sgd);
  for (int i = 0; i < 2; ++i) {
    const Tensor x = randn({3});
    graph({x});
    EXPECT_TRUE(equal(w.grad(), (x * exp(w.detach() * x)))) << i;
  }
}

TEST(Graph, GradientsOfParametersAreAdded) {
  Tensor w = ones({2}, requires_grad());
  nn::Graph graph([&](const Tensors& in) {
    Tensor loss = (w * in[0]).sum();
    loss.backward();
    return Tensors{loss};
  });
  graph.add_parameters({w});
  graph({full({2}, 3.0)});
  const Tensor first = w.grad();
  graph({full({2}, 4.0)});
  EXPECT_TRUE(equal(w.grad(), full({2}, 7.0)));
  EXPECT_TRUE(first.is_same(w.grad()));
}

// As the eager loop over the same parts, bit for bit.
TEST(Graph, MicroBatchesAddTheirGradients) {
  std::vector<Tensors> trained;
  for (const bool planned : {false, true}) {
    manual_seed(2);
    nn::Sequential net(nn::Linear(4, 16), nn::Tanh(), nn::Linear(16, 2));
    optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
    const auto gradients = [&](const Tensors& in) {
      Tensor loss = mse_loss(net->forward(in[0]), in[1]) / 3;
      loss.backward();
      return Tensors{loss, net->forward(in[0]).detach()};
    };
    nn::Graph graph(gradients, {.micro_batches = 3});
    graph.add_optimizer(adam);
    for (int i = 0; i < 4; ++i) {
      const Tensor x = randn({12, 4}), y = randn({12, 2});
      if (planned) {
        const Tensors out = graph({x, y});
        EXPECT_EQ(out[0].sizes(), Shape({3}));
        EXPECT_EQ(out[1].sizes(), Shape({12, 2}));
        continue;
      }
      adam.zero_grad(true);
      for (int k = 0; k < 3; ++k) gradients({x.narrow(0, 4 * k, 4), y.narrow(0, 4 * k, 4)});
      adam.step();
    }
    trained.push_back(net->parameters());
  }
  for (size_t i = 0; i < trained[0].size(); ++i)
    EXPECT_TRUE(equal(trained[0][i], trained[1][i])) << i;
  nn::Graph graph([](const Tensors& in) { return in; }, {.micro_batches = 3});
  EXPECT_THAT(error_of([&] { graph({ones({4, 2})}); }), HasSubstr("3 equal micro-batches"));
}

// A batch without rows, as a rank has where there are more ranks than rows.
TEST(Graph, RunsOnEmptyBatches) {
  const Tensor weight = ones({4, 5}).requires_grad_();
  nn::Graph graph([&](const Tensors& in) {
    const Tensor loss = linear(in[0] * 2.0, weight).pow(2).sum();
    loss.backward();
    return Tensors{loss};
  });
  graph.add_parameters({weight});
  EXPECT_EQ(graph({ones({0, 5})})[0].item<float>(), 0);
  EXPECT_TRUE(equal(weight.grad(), zeros({4, 5})));
}

}  // namespace
}  // namespace oneagent
