// Memory of plans: what it takes, and that runs allocate none.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <new>

#include "core/graph/capture.h"
#include "core/plan/memory.h"
#include "core/plan/plan.h"
#include "core/torch/recompute.h"
#include "tests/support/graph_training.h"

namespace {
std::atomic<int64_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace oneagent {
namespace {

using testing::Tensors;

// The same gradients with less memory, eagerly and as a plan.
TEST(Graph, CheckpointsComputeAgain) {
  std::vector<Tensors> found;
  std::vector<size_t> arenas;
  for (const bool recompute : {false, true})
    for (const bool planned : {false, true}) {
      manual_seed(3);
      std::vector<nn::Sequential> blocks;
      Tensors parameters;
      for (int i = 0; i < 6; ++i) {
        blocks.emplace_back(nn::Linear(32, 32), nn::Tanh(), nn::Dropout(0.2), nn::Linear(32, 32),
                            nn::Tanh());
        for (const Tensor& parameter : blocks.back()->parameters()) parameters.push_back(parameter);
      }
      optim::SGD sgd(parameters, optim::SGDOptions(0.1));
      const auto gradients = [&](const Tensors& in) {
        Tensor x = in[0];
        for (nn::Sequential& block : blocks)
          x = recompute ? nn::checkpoint([&](const Tensor& h) { return block->forward(h); }, x)
                        : block->forward(x);
        Tensor loss = x.square().mean();
        loss.backward();
        return Tensors{loss};
      };
      nn::Graph graph(gradients);
      graph.add_optimizer(sgd);
      for (int i = 0; i < 2; ++i) {
        const Tensor x = randn({64, 32});
        if (planned) {
          graph({x});
          continue;
        }
        sgd.zero_grad(true);
        gradients({x});
        sgd.step();
      }
      found.push_back(parameters);
      if (planned) arenas.push_back(graph.plan().arena_bytes);
    }
  for (size_t way = 1; way < found.size(); ++way)
    for (size_t i = 0; i < found[0].size(); ++i)
      EXPECT_TRUE(equal(found[0][i], found[way][i])) << way << " " << i;
  EXPECT_LT(arenas[1], arenas[0] * 3 / 4);
}

// A plan of one training step.
template <class Make>
Plan plan_of(Make make, const Shape& sizes) {
  manual_seed(1);
  auto net = make();
  nn::Graph graph([&](const Tensors& in) {
    Tensor loss = net->forward(in[0]).square().mean();
    loss.backward();
    return Tensors{loss};
  });
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1));
  graph.add_optimizer(sgd);
  graph({randn(sizes)});
  return graph.plan();
}

nn::Sequential mlp(int64_t hidden) {
  return nn::Sequential(nn::Linear(64, hidden), nn::ReLU(), nn::Linear(hidden, hidden), nn::ReLU(),
                        nn::Linear(hidden, 8));
}

void expect_packed(const Plan& plan) {
  EXPECT_GT(plan.arena_bytes, 0u);
  EXPECT_LE(static_cast<double>(plan.arena_bytes),
            1.05 * static_cast<double>(plan.lower_bound_bytes));
}

TEST(GraphMemory, IsPackedToTheBound) {
  expect_packed(plan_of([] { return mlp(256); }, {32, 64}));
  expect_packed(plan_of([] { return std::make_shared<testing::Convolutional>(); }, {4, 3, 8, 8}));
  expect_packed(plan_of([] { return std::make_shared<testing::Recurrent>(); }, {20, 3, 6}));
  expect_packed(plan_of([] { return std::make_shared<testing::Attention>(); }, {12, 3, 16}));
}

// No two buffers that are alive at once share a byte.
void expect_apart(std::span<const Lifetime> buffers, const Packing& packing) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const auto end = packing.offsets[i] + static_cast<int64_t>(buffers[i].bytes);
    ASSERT_LE(end, static_cast<int64_t>(packing.bytes));
    for (size_t k = 0; k < i; ++k) {
      if (buffers[i].first > buffers[k].last || buffers[k].first > buffers[i].last) continue;
      const auto other = packing.offsets[k] + static_cast<int64_t>(buffers[k].bytes);
      ASSERT_TRUE(end <= packing.offsets[k] || other <= packing.offsets[i]) << i << " " << k;
    }
  }
}

TEST(GraphMemory, BuffersThatAreAliveTogetherLieApart) {
  for (const int64_t count : {5, 300, 3000}) {
    const Tensor random = rand({count, 3}, DType::kFloat64);
    std::vector<Lifetime> buffers;
    for (int64_t i = 0; i < count; ++i) {
      const auto first = static_cast<int32_t>(random[i][0].item<double>() * 1000);
      const auto length = static_cast<int32_t>(random[i][1].item<double>() * 50);
      buffers.push_back(
          {first, first + length, static_cast<size_t>(random[i][2].item<double>() * 100000) + 1});
    }
    const Packing packing = pack(buffers);
    expect_apart(buffers, packing);
    EXPECT_GE(packing.bytes, packing.lower_bound);
    EXPECT_LE(static_cast<double>(packing.bytes), 1.4 * static_cast<double>(packing.lower_bound));
  }
}

// A chain of layers with its backward pass, `calls` ops or a few more.
Program long_program(int64_t calls) {
  const Tensor w = randn({8}, requires_grad());
  Capture capture;
  Tensor x = capture.input(ones({4, 8}));
  for (int64_t i = 0; i < calls / 4; ++i) x = i % 2 == 0 ? x * w : x.softmax(-1);
  x.sum().backward();
  capture.output(w.grad());
  w.mutable_grad().reset();
  return capture.finish();
}

TEST(GraphMemory, LongProgramsCompileInLinearTime) {
  double seconds[2];
  int64_t calls[2];
  for (int i = 0; i < 2; ++i) {
    Program program = long_program(i == 0 ? 10000 : 100000);
    calls[i] = static_cast<int64_t>(program.nodes.size());
    const std::clock_t begin = std::clock();
    const Plan plan = compile(std::move(program));
    seconds[i] = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    expect_packed(plan);
  }
  RecordProperty("seconds", str(seconds[0], " ", seconds[1], " for ", calls[0], " ", calls[1]));
  EXPECT_GE(calls[0], 10000);
  EXPECT_LT(seconds[0], 1);
  EXPECT_LT(seconds[1], 10);
}

TEST(GraphMemory, RunsAllocateNothing) {
  manual_seed(1);
  nn::Sequential net(nn::Linear(4, 64), nn::Tanh(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, 2));
  optim::Adam adam(net->parameters(), optim::AdamOptions(0.01));
  nn::Graph graph([&](const Tensors& in) {
    Tensor loss = mse_loss(net->forward(in[0]), in[1]);
    loss.backward();
    return Tensors{loss};
  });
  graph.add_optimizer(adam);
  const Tensors inputs = {randn({32, 4}), randn({32, 2})};
  Tensors results;
  for (int i = 0; i < 3; ++i) graph(inputs, results);
  const float before = results[0].item<float>();
  const int64_t count = allocations;
  for (int i = 0; i < 20; ++i) graph(inputs, results);
  EXPECT_EQ(allocations - count, 0);
  EXPECT_LT(results[0].item<float>(), before);
}

// Only what nobody holds is used again.
TEST(GraphMemory, ResultsInUseAreNotOverwritten) {
  nn::Graph graph([](const Tensors& in) { return Tensors{in[0] + 1, in[0] * 2}; });
  Tensors results, chained = {zeros({3})};
  graph({full({3}, 5.0)}, results);
  const Tensor kept = results[0], part = results[1].narrow(0, 1, 2);
  graph({full({3}, 7.0)}, results);
  EXPECT_TRUE(equal(kept, full({3}, 6.0)));
  EXPECT_TRUE(equal(part, full({2}, 10.0)));
  EXPECT_TRUE(equal(results[0], full({3}, 8.0)));
  for (int i = 0; i < 4; ++i) {
    const Tensors in = {chained[0]};
    graph(in, chained);
  }
  EXPECT_TRUE(equal(chained[0], full({3}, 4.0)));
  results[0].requires_grad_();
  graph({zeros({3})}, results);
  EXPECT_FALSE(results[0].requires_grad());
}

}  // namespace
}  // namespace oneagent
