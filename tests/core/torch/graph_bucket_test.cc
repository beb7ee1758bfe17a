// Reductions of gradients in buckets, beside backward: how many there are, the same bits, and that
// they overlap.
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/runtime/trace.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::ParallelOptions;
using distributed::World;

constexpr int kLayers = 6, kSteps = 5;
constexpr int64_t kWidth = 32, kRows = 512;

nn::Sequential make_net() {
  manual_seed(31);
  nn::Sequential net;
  for (int i = 0; i < kLayers; ++i) net->push_back(nn::Linear(kWidth, kWidth));
  return net;
}

struct Trained {
  std::vector<Tensor> weights;
  comm::Traffic traffic;  // of one step
  size_t arena = 0;
};

Trained train(World& world, std::shared_ptr<const ParallelOptions> parallel, Trace* trace = nullptr,
              int64_t rows = kRows) {
  const nn::Sequential net = make_net();
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  nn::Graph step(
      [net = net](const std::vector<Tensor>& in) mutable {
        const Tensor loss = net->forward(in[0]).square().mean();
        loss.backward();
        return std::vector<Tensor>{loss};
      },
      {.parallel = std::move(parallel)});
  step.add_optimizer(sgd);
  Trained out;
  for (int i = 0; i < kSteps; ++i) {
    if (i == kSteps - 1 && trace != nullptr) step.set_trace(trace, str("rank ", world.rank(), " "));
    Generator generator(static_cast<uint64_t>(90 + i));
    const comm::Traffic before = world.traffic();
    step({randn({rows, kWidth}, generator)});
    const comm::Traffic after = world.traffic();
    out.traffic.all_reduce.calls = after.all_reduce.calls - before.all_reduce.calls;
    out.traffic.reduce_scatter.calls = after.reduce_scatter.calls - before.reduce_scatter.calls;
    out.traffic.all_gather.calls = after.all_gather.calls - before.all_gather.calls;
    out.traffic.all_reduce.bytes = after.all_reduce.bytes - before.all_reduce.bytes;
  }
  if (trace != nullptr) step.set_trace(nullptr);
  out.arena = step.plan().arena_bytes;
  for (const Tensor& parameter : net->parameters())
    out.weights.push_back(whole_values(parameter).clone());
  return out;
}

ParallelOptions options_of(double bucket_bytes, bool overlap, int zero = 0) {
  ParallelOptions out{.mesh = Mesh({2}, {"data"})};
  out.bucket_bytes = bucket_bytes;
  out.overlap = overlap;
  out.zero = zero;
  out.pin_input = [](const Tensor&) { return distributed::Pin{Placement::split(0)}; };
  out.pin_leaf = [](const Tensor&) { return distributed::Pin{Placement::broadcast()}; };
  out.cost.flops_per_second = 1e8;
  return out;
}

TEST(Buckets, FewerCollectivesAndTheSameBits) {
  const auto shared = [](ParallelOptions options) {
    return std::make_shared<const ParallelOptions>(std::move(options));
  };
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(2,
               [&](comm::Communicator& all) {
                 World world(all);
                 const Trained plain = train(world, shared(options_of(0, false)));
                 EXPECT_EQ(plain.traffic.all_reduce.calls, 2 * kLayers + 1);  // and the loss
                 const double weight = kWidth * kWidth * 4;
                 for (const bool overlap : {false, true}) {
                   const Trained two = train(world, shared(options_of(2.5 * weight, overlap)));
                   EXPECT_EQ(two.traffic.all_reduce.calls, kLayers / 2 + 1);
                   EXPECT_EQ(two.traffic.all_reduce.bytes, plain.traffic.all_reduce.bytes);
                   const Trained one = train(world, shared(options_of(-1, overlap)));
                   EXPECT_EQ(one.traffic.all_reduce.calls, 1 + 1);
                   for (size_t i = 0; i < plain.weights.size(); ++i) {
                     EXPECT_TRUE(equal(two.weights[i], plain.weights[i]));
                     EXPECT_TRUE(equal(one.weights[i], plain.weights[i]));
                   }
                   for (const int zero : {1, 2, 3}) {
                     const Trained split = train(world, shared(options_of(-1, overlap, zero)));
                     EXPECT_EQ(split.traffic.reduce_scatter.calls, zero >= 2 ? 1 : 0) << zero;
                     if (zero < 3) {
                       EXPECT_EQ(split.traffic.all_gather.calls, 1) << zero;
                     }
                     for (size_t i = 0; i < plain.weights.size(); ++i)
                       EXPECT_TRUE(equal(split.weights[i], plain.weights[i])) << zero;
                   }
                 }
               },
               {});
}

// Nanoseconds during which spans of both lanes were open.
int64_t overlap_ns(const std::vector<TraceSpan>& a, const std::vector<TraceSpan>& b) {
  int64_t sum = 0;
  for (const TraceSpan& x : a)
    for (const TraceSpan& y : b)
      sum += std::max<int64_t>(0, std::min(x.end_ns, y.end_ns) - std::max(x.begin_ns, y.begin_ns));
  return sum;
}

// On a slow link backward goes on while buckets are reduced.
TEST(Buckets, RunBesideBackward) {
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    Trace trace;
    comm::GroupOptions slow;
    slow.inject = [](int, std::string_view point) {
      if (point == "step") std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    runner.run(
        2,
        [&](comm::Communicator& all) {
          World world(all);
          ParallelOptions options = options_of(kWidth * kWidth * 4 * 1.5, true);
          train(world, std::make_shared<const ParallelOptions>(options), &trace, 16384);
        },
        slow);
    for (const int rank : {0, 1}) {
      std::vector<TraceSpan> work, sent = trace.spans(str("rank ", rank, " communication"));
      int64_t waited = 0;
      for (const TraceSpan& span : trace.spans(str("rank ", rank, " compute"))) {
        if (span.name == "wait_beside")
          waited += span.end_ns - span.begin_ns;
        else if (span.name != "reduce_bucket" && span.name != "all_reduce")
          work.push_back(span);
      }
      ASSERT_EQ(sent.size(), static_cast<size_t>(kLayers)) << runner.name;
      EXPECT_GT(overlap_ns(work, sent), 0) << runner.name;
      EXPECT_GT(waited, 0);
    }
    EXPECT_NE(trace.to_json().find("rank 0 communication"), std::string::npos);
  }
}

TEST(Buckets, ARankThatFailsLeavesNoneWaiting) {
  try {
    comm::run_ranks(2, [](comm::Communicator& all) {
      World world(all);
      if (all.rank() == 1) throw Error("this rank is broken");
      train(world, std::make_shared<const ParallelOptions>(options_of(0, true)));
    });
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace oneagent
