// Dropout of split tensors: a rank draws for its own elements what one device draws for them.
#include <gtest/gtest.h>

#include "core/comm/thread_communicator.h"
#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"

namespace oneagent {
namespace {

using distributed::broadcast;
using distributed::distribute;
using distributed::split;
using distributed::World;

TEST(MeshDropout, DrawsAtLogicalPositions) {
  const Tensor x = ones({5, 4, 6}, kFloat64);
  for (const Sharding& sharding :
       {Sharding{split(0), broadcast()}, Sharding{split(1), broadcast()},
        Sharding{split(2), broadcast()}, Sharding{split(0), split(2)}, Sharding{split(1), split(2)},
        Sharding{split(2), split(0)}, Sharding{split(0), split(0)}}) {
    manual_seed(61);
    const Tensor expected = dropout(x, 0.4, true), next = rand({3});
    manual_seed(61);
    comm::run_ranks(4, [&](comm::Communicator& all) {
      World world(all);
      const Tensor own = dropout(distribute(x, Mesh({2, 2}), sharding), 0.4, true);
      EXPECT_EQ(distributed::sharding_of(own), sharding);
      EXPECT_TRUE(equal(distributed::to_whole(own), expected)) << to_text(sharding);
      EXPECT_TRUE(equal(rand({3}), next));  // the stream goes on as on one device
    });
  }
}

// In a graph, run by run, with the mask of backward.
TEST(MeshDropout, GraphsDrawTheSame) {
  const auto train = [](std::shared_ptr<const distributed::ParallelOptions> parallel,
                        const std::function<void(const Plan&)>& look) {
    manual_seed(62);
    nn::Sequential net(nn::Linear(8, 16), nn::Dropout(0.3), nn::Tanh(), nn::Linear(16, 4));
    net->to(kFloat64);
    optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1));
    nn::Graph step(
        [net](const std::vector<Tensor>& in) mutable {
          const Tensor loss = net->forward(in[0]).square().mean();
          loss.backward();
          return std::vector<Tensor>{loss};
        },
        {.parallel = std::move(parallel)});
    step.add_optimizer(sgd);
    for (int i = 0; i < 5; ++i) step({ones({64, 8}, kFloat64)});
    if (look) look(step.plan());
    std::vector<Tensor> out;
    for (const Tensor& parameter : net->parameters())
      out.push_back(whole_values(parameter).clone());
    return out;
  };
  const std::vector<Tensor> expected = train(nullptr, nullptr);
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    auto parallel = std::make_shared<distributed::ParallelOptions>();
    parallel->mesh = Mesh({2}, {"data"});
    parallel->zero = 1;
    parallel->cost.flops_per_second = 1e8;
    const auto actual = train(parallel, [](const Plan& plan) {
      for (const ProgramNode& node : plan.program.nodes)
        if (node.op->random) {
          EXPECT_EQ(plan.program.meta(node.out[0]).sizes[0], 32) << node.op->name;
        }
    });
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(allclose(actual[i], expected[i], 1e-9, 1e-12)) << i;
  });
}

}  // namespace
}  // namespace oneagent
