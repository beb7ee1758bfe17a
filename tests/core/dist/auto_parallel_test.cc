// What the planner finds: the patterns that people find by hand, brute force where that can be
// done, and programs that compute the same on a mesh.
#include "core/dist/auto_parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/comm/thread_communicator.h"
#include "core/dist/composite.h"
#include "core/dist/replay.h"
#include "core/graph/capture.h"
#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

using Function = std::function<Tensor(const std::vector<Tensor>& inputs)>;

struct Recorded {
  Program program;
  AutoOptions options;
  std::vector<ValueId> inputs, parameters, gradients;
  std::vector<Tensor> kept;
  std::vector<Ref<Storage>> memory;
};

// The loss and its gradients.
Recorded record(const Function& loss, const std::vector<Tensor>& inputs,
                const std::vector<Tensor>& leaves) {
  Recorded out;
  {
    CompositeScope composites;
    Capture capture;
    std::vector<Tensor> symbols;
    for (const Tensor& input : inputs) symbols.push_back(capture.input(input));
    const Tensor result = loss(symbols);
    result.backward();
    capture.output(result);
    for (const Tensor& leaf : leaves) out.kept.push_back(capture.keep(leaf.grad()));
    out.program = capture.finish();
  }
  for (const Tensor& leaf : leaves) leaf.mutable_grad().reset();
  out.inputs = out.program.inputs;
  out.parameters = find_values(out.program, leaves);
  out.gradients = find_values(out.program, out.kept);
  for (size_t i = 0; i < leaves.size(); ++i)
    out.options.gradients.emplace_back(out.gradients[i], out.parameters[i]);
  return out;
}

Tensor numbers(const Shape& sizes, uint64_t seed) {
  Generator generator(seed);
  return randn(sizes, generator, kFloat64);
}
std::vector<Tensor> leaves_of(std::vector<Tensor> tensors) {
  for (Tensor& tensor : tensors) tensor.requires_grad_();
  return tensors;
}

Recorded record_mlp(int64_t batch, int64_t in, int64_t hidden, int64_t out) {
  const auto w =
      leaves_of({empty({hidden, in}), empty({hidden}), empty({out, hidden}), empty({out})});
  return record(
      [w](const std::vector<Tensor>& x) {
        return mse_loss(linear(gelu(linear(x[0], w[0], w[1])), w[2], w[3]), x[1]);
      },
      {empty({batch, in}), empty({batch, out})}, w);
}

TEST(AutoParallel, FindsColumnsAndRowsForAWideMlp) {
  const Recorded mlp = record_mlp(16, 1024, 4096, 1024);
  const ShardingPlan plan = choose_shardings(mlp.program, Mesh({4}), mlp.options);
  EXPECT_TRUE(plan.exact);
  EXPECT_EQ(plan.sources.at(mlp.parameters[0]), Sharding({split(0)})) << "columns";
  EXPECT_EQ(plan.sources.at(mlp.parameters[1]), Sharding({split(0)}));
  EXPECT_EQ(plan.sources.at(mlp.parameters[2]), Sharding({split(1)})) << "rows";
}

TEST(AutoParallel, FindsDataParallelismForACnn) {
  const auto w = leaves_of({empty({16, 3, 3, 3}), empty({32, 16, 3, 3}), empty({10, 32})});
  const Recorded cnn = record(
      [w](const std::vector<Tensor>& x) {
        const Tensor one = relu(conv2d(x[0], w[0], {}, 1, 1));
        const Tensor two = relu(conv2d(one, w[1], {}, 2, 1));
        return mse_loss(mm(mean(two, Shape{2, 3}), t(w[2])), x[1]);
      },
      {empty({64, 3, 32, 32}), empty({64, 10})}, w);
  const ShardingPlan plan = choose_shardings(cnn.program, Mesh({4}), cnn.options);
  EXPECT_EQ(plan.sources.at(cnn.inputs[0]), Sharding({split(0)}));
  EXPECT_EQ(plan.sources.at(cnn.parameters[0]), Sharding({broadcast()}));
  EXPECT_EQ(plan.sources.at(cnn.parameters[1]), Sharding({broadcast()}));
}

TEST(AutoParallel, SplitsTheClassesOfAHugeHead) {
  const auto w = leaves_of({empty({1'000'000, 64})});
  const Recorded head = record(
      [w](const std::vector<Tensor>& x) {
        return cross_entropy_loss(mm(x[0], t(w[0])), x[1], {}, Reduction::Mean, -100, 0.0);
      },
      {empty({32, 64}), empty({32}, kInt64)}, w);
  const Mesh mesh({4});
  const ShardingPlan plan = choose_shardings(head.program, mesh, head.options);
  EXPECT_EQ(plan.sources.at(head.parameters[0]), Sharding({split(0)}));
  const std::string text = explain(head.program, mesh, head.options, plan);
  EXPECT_THAT(text, ::testing::HasSubstr("whole parameters, split batch"));
}

// With slow links nothing is split, with a small memory everything is.
TEST(AutoParallel, FlipsWithCostsAndMemory) {
  Recorded mlp = record_mlp(16, 1024, 4096, 1024);
  const Mesh mesh({4});
  for (auto& link : mlp.options.cost.link) link = {1.0, 1e-3};
  const ShardingPlan slow = choose_shardings(mlp.program, mesh, mlp.options);
  for (const ValueId parameter : mlp.parameters)
    EXPECT_EQ(slow.sources.at(parameter), Sharding({broadcast()}));
  mlp.options.memory_bytes = slow.bytes / 2;
  const ShardingPlan small = choose_shardings(mlp.program, mesh, mlp.options);
  EXPECT_LE(small.bytes, slow.bytes / 2);
  EXPECT_GT(small.seconds, slow.seconds);
  EXPECT_TRUE(small.sources.at(mlp.parameters[0])[0].is_split());
  mlp.options.memory_bytes = 1e6;
  try {
    choose_shardings(mlp.program, mesh, mlp.options);
    FAIL() << "1 MB is not enough";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("nothing fits into 1.0 MB a rank"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("give more memory or more ranks"));
  }
}

TEST(AutoParallel, PinsHold) {
  Recorded mlp = record_mlp(16, 1024, 4096, 1024);
  mlp.options.pins[mlp.parameters[0]] = pin({broadcast()});
  mlp.options.pins[mlp.inputs[0]] = pin({split(0)});
  const ShardingPlan plan = choose_shardings(mlp.program, Mesh({4}), mlp.options);
  EXPECT_EQ(plan.sources.at(mlp.parameters[0]), Sharding({broadcast()}));
  EXPECT_EQ(plan.sources.at(mlp.inputs[0]), Sharding({split(0)}));
}

class OnMesh : public ::testing::TestWithParam<Shape> {};

TEST_P(OnMesh, AChosenPlanComputesWhatOneDeviceDoes) {
  const Mesh mesh(GetParam());
  const auto w =
      leaves_of({numbers({12, 6}, 1), numbers({12}, 2), numbers({4, 12}, 3), numbers({4}, 4)});
  const Function loss = [w](const std::vector<Tensor>& x) {
    const Tensor h = linear(gelu(linear(x[0], w[0], w[1])), w[2], w[3]);
    return cross_entropy_loss(h, x[1], {}, Reduction::Mean, -100, 0.0);
  };
  const Tensor x = numbers({8, 6}, 5), y = remainder(arange(8), 4);
  const Recorded recorded = record(loss, {x, y}, w);
  const Tensor expected = loss({x, y});
  expected.backward();
  // Costs under which it pays to split even these small tensors, in one way or the other.
  for (const double flops : {1e6, 1e8}) {
    AutoOptions options = recorded.options;
    options.cost.flops_per_second = options.cost.bytes_per_second = flops;
    const ShardingPlan plan = choose_shardings(recorded.program, mesh, options);
    comm::run_ranks(static_cast<int>(mesh.ranks()), [&](comm::Communicator& all) {
      World world(all);
      std::map<ValueId, Tensor> values = {{recorded.inputs[0], x}, {recorded.inputs[1], y}};
      replay(recorded.program, plan, mesh, values);
      const auto whole = [](const Tensor& t) { return is_global(t) ? to_whole(t) : t; };
      EXPECT_NEAR(whole(values.at(recorded.program.outputs[0])).item<double>(),
                  expected.item<double>(), 1e-12);
      for (size_t i = 0; i < w.size(); ++i)
        EXPECT_TRUE(allclose(whole(values.at(recorded.gradients[i])), w[i].grad(), 1e-9, 1e-12))
            << i;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Meshes, OnMesh,
                         ::testing::Values(Shape{1}, Shape{2}, Shape{3}, Shape{2, 2}),
                         [](const auto& info) {
                           std::string name = "mesh";
                           for (const int64_t size : info.param) name += "_" + std::to_string(size);
                           return name;
                         });

}  // namespace
}  // namespace oneagent::distributed
