// How long planning for a mesh takes, in processor time of a rank's thread.
#include <gtest/gtest.h>

#include <ctime>

#include "core/dist/parallel_recording.h"
#include "tests/core/torch/pipeline_programs.h"

namespace oneagent {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Six calls a layer, forward and backward.
struct Chain {
  explicit Chain(int layers) {
    manual_seed(1);
    for (int i = 0; i < layers; ++i) {
      net->push_back(nn::Linear(16, 16));
      net->push_back(nn::Tanh());
    }
  }
  Tensors operator()(const Tensors& in) const {
    const Tensor loss = net->forward(in[0]).square().mean();
    loss.backward();
    return {loss};
  }
  mutable nn::Sequential net{};
};

struct Planned {
  size_t calls = 0;
  double seconds = 0;
};

Planned plan(int layers, const Mesh& mesh, double memory_share = 0) {
  Planned out;
  comm::run_ranks(1, [&](comm::Communicator& all) {
    const World world(all);
    const Chain chain(layers);
    ParallelOptions options;
    options.mesh = mesh;
    const auto choose = [&] {
      return distributed::plan_parallel([&](const Tensors& in) { return chain(in); },
                                        {randn({8, 16})}, chain.net->parameters(), {options},
                                        default_generator())[0];
    };
    if (memory_share > 0) options.memory_bytes = memory_share * choose().bytes;
    const double begin = thread_seconds();
    const distributed::ShardingPlan found = choose();
    out = {found.nodes.size(), thread_seconds() - begin};
    EXPECT_LE(found.bytes, options.memory_bytes);
  });
  return out;
}

TEST(PlanTime, AMeshOfTwoDimensionsIsChosenInFiveSeconds) {
  const Planned planned = plan(1680, Mesh({2, 2}));
  EXPECT_GE(planned.calls, 10000u);
  EXPECT_LT(planned.seconds, 5);
}

TEST(PlanTime, GrowsAsTheProgram) {
  const Planned few = plan(840, Mesh({2, 2, 2})), many = plan(3360, Mesh({2, 2, 2}));
  EXPECT_LT(many.seconds, 8 * few.seconds) << few.seconds << " " << many.seconds;
}

TEST(PlanTime, ALimitOfMemoryIsKeptInTime) {
  const Planned planned = plan(1680, Mesh({2, 2}), 0.6);
  EXPECT_LT(planned.seconds, 5);
}

// Recording, shardings, stages, micro-batches, collectives, memory: all of it.
TEST(PlanTime, TenThousandCallsOnEightRanksTakeASecond) {
  double seconds[8];
  comm::run_ranks(8, [&](comm::Communicator& all) {
    const World world(all);
    const Chain chain(1680);
    auto options = std::make_shared<ParallelOptions>();
    options->mesh = Mesh({2, 2}, {"data", "tensor"});
    options->pipeline = 2;
    nn::Graph step([&](const Tensors& in) { return chain(in); },
                   {.micro_batches = 2, .parallel = options});
    step.add_parameters(chain.net->parameters());
    const Tensor x = randn({8, 16});
    const double begin = thread_seconds();
    step({x});
    seconds[all.rank()] = thread_seconds() - begin;
  });
  for (const double each : seconds) EXPECT_LT(each, 1);
}

}  // namespace
}  // namespace oneagent
