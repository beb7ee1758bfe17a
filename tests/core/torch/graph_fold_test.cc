// Calls of constants are computed once, when a plan is compiled.
#include <gmock/gmock.h>

#include "core/plan/plan.h"
#include "tests/support/graph_training.h"

namespace oneagent {
namespace {

using testing::Tensors;

size_t calls_of(const nn::Graph& graph, const std::string& op) {
  size_t count = 0;
  for (const ProgramNode& node : graph.plan().program.nodes)
    count += op.empty() ? node.op->alias_of < 0 : node.op->name == op;
  return count;
}

TEST(GraphFold, CreatedTensorsAndWhatComesOfThem) {
  const auto f = [](const Tensors& in) {
    const Tensor places = arange(0, 4, DType::kFloat32).unsqueeze(1) * full({1, 3}, 2.0);
    const Tensor mask = arange(3).unsqueeze(0).eq(arange(3).flip(0).unsqueeze(1)).to(kFloat32);
    return Tensors{in[0] + exp(places).sum(0) + eye(3).mm(mask)};
  };
  nn::Graph graph(f), plain(f, {.plan = {.fold_constants = false}});
  for (int i = 0; i < 3; ++i) {
    const Tensor x = randn({3, 3});
    EXPECT_TRUE(equal(graph({x})[0], f({x})[0]));
    EXPECT_TRUE(equal(plain({x})[0], f({x})[0]));
  }
  EXPECT_EQ(calls_of(graph, ""), 2u) << print(graph.plan());
  EXPECT_GT(calls_of(plain, ""), 6u);
}

TEST(GraphFold, WhatSomebodyElseHoldsMayChange) {
  const Tensor held = full({2}, 3.0);
  nn::Graph graph([&](const Tensors& in) { return Tensors{in[0] + (held * 2).square()}; });
  EXPECT_TRUE(equal(graph({zeros({2})})[0], full({2}, 36.0)));
  held.fill_(1.0);
  EXPECT_TRUE(equal(graph({zeros({2})})[0], full({2}, 4.0)));
}

TEST(GraphFold, WrittenAndRandomTensorsAreComputedInEveryRun) {
  const auto f = [](const Tensors& in) {
    Tensor sum = zeros({2});
    sum.add_(in[0]);
    sum.mul_(2);
    return Tensors{sum + 1, rand({2}) + ones({2}), ones({2}) * 3};
  };
  nn::Graph graph(f);
  for (int i = 0; i < 3; ++i) {
    const Tensor x = randn({2});
    const RngState before = default_generator().state();
    const Tensors eager = f({x});
    default_generator().set_state(before);
    Tensors planned = graph({x});
    for (size_t k = 0; k < 3; ++k) EXPECT_TRUE(equal(eager[k], planned[k])) << i << " " << k;
    planned[2].fill_(0.0);  // the caller's own
  }
}

// The gradient of the mean: its factor is known.
TEST(GraphFold, TheFirstCallsOfBackwardAreConstant) {
  Tensor w = ones({4}, requires_grad());
  optim::SGD sgd({w}, optim::SGDOptions(0.0));
  const auto f = [&](const Tensors& in) {
    Tensor loss = (w * in[0]).mean();
    loss.backward();
    return Tensors{loss};
  };
  nn::Graph graph(f);
  graph.add_optimizer(sgd);
  for (int i = 0; i < 2; ++i) {
    const Tensor x = randn({4});
    graph({x});
    EXPECT_TRUE(equal(w.grad(), x / 4));
  }
  EXPECT_EQ(calls_of(graph, "div_number"), 0u) << print(graph.plan());
}

}  // namespace
}  // namespace oneagent
