// Graphs on ranks that do not fit together: what is said, on every rank, and soon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"
#include "tests/support/graph_training.h"

namespace oneagent {
namespace {

using distributed::distribute;
using distributed::ParallelOptions;
using distributed::split;
using distributed::World;
using ::testing::AllOf;
using testing::error_of;
using ::testing::HasSubstr;
using testing::Tensors;

nn::Sequential make_net() {
  manual_seed(5);
  return nn::Sequential(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2));
}
Tensors batch() {
  Generator generator(10);
  return {randn({6, 3}, generator, kFloat32), randn({6, 2}, generator, kFloat32)};
}
std::shared_ptr<ParallelOptions> on(const Mesh& mesh) {
  auto out = std::make_shared<ParallelOptions>();
  out->mesh = mesh;
  return out;
}
// What `ranks` ranks say of a body.
std::string error_on(int ranks, const std::function<void(comm::Communicator&)>& body) {
  return error_of([&] {
    comm::run_ranks(ranks,
                    [&](comm::Communicator& all) {
                      World world(all);
                      body(all);
                    },
                    {.deadline_ms = 5000});
  });
}

TEST(MeshMisuse, GlobalTensorsThatAreNoParametersAreNamed) {
  const Mesh mesh({2}, {"data"});
  EXPECT_THAT(error_on(2,
                       [&](comm::Communicator&) {
                         const Tensor teacher = distribute(ones({3, 2}), mesh, {split(0)});
                         nn::Graph graph(
                             [&](const Tensors& in) { return Tensors{in[0].matmul(teacher)}; },
                             {.parallel = on(mesh)});
                         graph({batch()[0]});
                       }),
              AllOf(HasSubstr("global tensor [3, 2]"), HasSubstr("add_parameters()")));
  EXPECT_EQ(
      error_on(2,
               [&](comm::Communicator&) {
                 const Tensor teacher = distribute(ones({3, 2}), mesh, {split(0)});
                 nn::Graph graph([&](const Tensors& in) { return Tensors{in[0].matmul(teacher)}; },
                                 {.parallel = on(mesh)});
                 graph.add_parameters({teacher});
                 EXPECT_TRUE(allclose(graph({batch()[0]})[0], batch()[0].matmul(ones({3, 2}))));
               }),
      "no error");
  EXPECT_THAT(error_on(2,
                       [&](comm::Communicator&) {
                         nn::Graph graph([](const Tensors& in) { return Tensors{in[0] * 2}; },
                                         {.parallel = on(mesh)});
                         graph({distribute(batch()[0], mesh, {split(0)})});
                       }),
              AllOf(HasSubstr("input 0 [6, 3] is a global tensor"), HasSubstr("to_whole(x)")));
}

TEST(MeshMisuse, InputsAreNotChangedInPlace) {
  EXPECT_THAT(error_on(2,
                       [&](comm::Communicator&) {
                         nn::Graph graph(
                             [](const Tensors& in) {
                               in[0].add_(1);
                               return Tensors{in[0] * 2};
                             },
                             {.parallel = on(Mesh({2}, {"data"}))});
                         graph(batch());
                       }),
              AllOf(HasSubstr("changes an input in place"), HasSubstr("a new tensor")));
}

// The same collectives, but other calls, numbers, shapes or random numbers between them.
TEST(MeshMisuse, ARankWithAnotherProgramIsNamed) {
  for (const int kind : {0, 1, 2, 3}) {
    const std::string error = error_on(3, [&](comm::Communicator& all) {
      const bool other = all.rank() == 2;
      nn::Sequential net = make_net();
      optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1));
      if (kind == 3) manual_seed(other ? 1 : 2);
      nn::Graph graph(
          [&](const Tensors& in) {
            Tensor x = net->forward(in[0]);
            if (kind == 0) x = other ? tanh(x) : relu(x);
            if (kind == 1) x = x * (other ? 2.0 : 3.0);
            if (kind == 3) x = dropout(x, 0.5, true);
            const Tensor loss = mse_loss(x, in[1]);
            loss.backward();
            return Tensors{loss};
          },
          {.parallel = on(Mesh({3}, {"data"}))});
      graph.add_optimizer(sgd);
      Tensors in = batch();
      if (kind == 2 && other) in = {in[0].narrow(0, 0, 3), in[1].narrow(0, 0, 3)};
      graph(in);
    });
    EXPECT_THAT(error, HasSubstr("rank 2 has recorded another program than rank 0")) << kind;
  }
}

TEST(MeshMisuse, GraphsThatShareParametersShareTheirMesh) {
  EXPECT_THAT(error_on(4,
                       [&](comm::Communicator&) {
                         nn::Sequential net = make_net();
                         const auto forward = [&](const Tensors& in) {
                           return Tensors{net->forward(in[0])};
                         };
                         nn::Graph one(forward, {.parallel = on(Mesh({4}, {"data"}))});
                         nn::Graph two(forward, {.parallel = on(Mesh({2, 2}, {"data", "tensor"}))});
                         one.add_parameters(net->parameters());
                         two.add_parameters(net->parameters());
                         one({batch()[0]});
                         two({batch()[0]});
                       }),
              AllOf(HasSubstr("lies on mesh [data=4]"), HasSubstr("for mesh [data=2, tensor=2]")));
}

TEST(MeshMisuse, OptionsWithoutMeaningAreRefused) {
  const auto error_with = [](const std::function<void(ParallelOptions&)>& change) {
    const auto options = on(Mesh({2}, {"data"}));
    change(*options);
    return error_of(
        [&] { nn::Graph([](const Tensors& in) { return in; }, {.parallel = options}); });
  };
  const auto says = [&](const char* text, const std::function<void(ParallelOptions&)>& change) {
    EXPECT_THAT(error_with(change), HasSubstr(text));
  };
  says("no error", [](ParallelOptions&) {});
  says("mesh is missing", [](ParallelOptions& o) { o.mesh = Mesh(); });
  says("pipeline must be at least 1, was 0", [](ParallelOptions& o) { o.pipeline = 0; });
  says("pipeline must be at least 1, was -3", [](ParallelOptions& o) { o.pipeline = -3; });
  says("stages_per_rank must be", [](ParallelOptions& o) { o.stages_per_rank = 0; });
  says("zero must be 0, 1, 2 or 3, was 4", [](ParallelOptions& o) { o.zero = 4; });
  says("memory_bytes must be above 0, was nan", [](ParallelOptions& o) { o.memory_bytes = NAN; });
  says("memory_bytes must be above 0, was 0", [](ParallelOptions& o) { o.memory_bytes = 0; });
  says("flops_per_second must be", [](ParallelOptions& o) { o.cost.flops_per_second = 0; });
  says("bytes_per_second must be", [](ParallelOptions& o) { o.cost.bytes_per_second = -1; });
  says("gathered_bytes must be", [](ParallelOptions& o) { o.gathered_bytes = -1; });
  says("prefetch_calls must be", [](ParallelOptions& o) { o.prefetch_calls = -1; });
  says("split_leaves names mesh dimension 1", [](ParallelOptions& o) { o.split_leaves = {1}; });
}

// A parameter is a value, no term of a sum, and which stage has it the pipeline says.
TEST(MeshMisuse, PinsThatNoParameterCanHaveAreRefused) {
  const auto error_with = [](const Placement& placement, bool leaf) {
    return error_on(2, [&](comm::Communicator&) {
      nn::Sequential net = make_net();
      const auto options = on(Mesh({2}, {"data"}));
      (leaf ? options->pin_leaf : options->pin_input) = [&](const Tensor&) {
        return distributed::Pin{placement};
      };
      nn::Graph step(
          [net](const Tensors& in) mutable {
            mse_loss(net->forward(in[0]), in[1]).backward();
            return Tensors{};
          },
          {.parallel = options});
      step.add_parameters(net->parameters());
      step(batch());
    });
  };
  for (const Placement& placement : {Placement::partial(Reduce::kSum), Placement::owner(1)})
    for (const bool leaf : {true, false})
      EXPECT_THAT(
          error_with(placement, leaf),
          AllOf(HasSubstr(leaf ? "pin_leaf of a parameter" : "pin_input of an input"),
                HasSubstr("along mesh dimension data; it can be split(axis), broadcast()")));
  EXPECT_EQ(error_with(Placement::broadcast(), true), "no error");
}

}  // namespace
}  // namespace oneagent
