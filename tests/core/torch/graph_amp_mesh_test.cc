// Mixed precision on a mesh: the numbers of one device within what 16 bits hold, and one decision
// on all ranks about a step that is not finite.
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::ParallelOptions;
using distributed::World;

constexpr int kSteps = 10;

nn::Sequential make_net() {
  manual_seed(51);
  nn::Linear first(16, 32), second(32, 8);
  return nn::Sequential(first, nn::Tanh(), second);
}

struct Training {
  Training(DType amp, std::shared_ptr<const ParallelOptions> parallel, int64_t micro_batches = 1)
      : net(make_net()),
        sgd(net->parameters(), optim::SGDOptions(0.1)),
        step(
            [net = net](const std::vector<Tensor>& in) mutable {
              const Tensor loss = mse_loss(net->forward(in[0]), in[1]);
              loss.backward();
              return std::vector<Tensor>{loss};
            },
            {.amp = amp, .micro_batches = micro_batches, .parallel = std::move(parallel)}) {
    step.add_optimizer(sgd);
  }
  std::vector<Tensor> weights() const {
    std::vector<Tensor> out;
    for (const Tensor& parameter : net->parameters())
      out.push_back(whole_values(parameter).clone());
    return out;
  }
  nn::Sequential net;
  optim::SGD sgd;
  nn::Graph step;
};

std::vector<Tensor> batch_of(int step) {
  Generator generator(static_cast<uint64_t>(700 + step));
  return {randn({64, 16}, generator), randn({64, 8}, generator)};
}

std::shared_ptr<const ParallelOptions> options_of(int zero) {
  auto out = std::make_shared<ParallelOptions>();
  out->mesh = Mesh({2}, {"data"});
  out->zero = zero;
  out->pin_input = [](const Tensor&) { return distributed::Pin{Placement::split(0)}; };
  out->pin_leaf = [](const Tensor&) { return distributed::Pin{Placement::broadcast()}; };
  out->cost.flops_per_second = 1e8;
  return out;
}

bool has_products_in(const Plan& plan, DType dtype) {
  for (const ProgramNode& node : plan.program.nodes)
    for (const ValueId value : node.out)
      if (node.op->name != std::string("to") && plan.program.meta(value).dtype == dtype)
        return true;
  return false;
}

TEST(AmpOnAMesh, IsThatOfOneDevice) {
  for (const DType amp : {DType::kBFloat16, DType::kFloat16}) {
    Training one(amp, nullptr);
    for (int i = 0; i < kSteps; ++i) one.step(batch_of(i));
    const std::vector<Tensor> expected = one.weights();
    for (const comm::RankRunner& runner : comm::rank_runners())
      for (const int zero : {0, 2, 3})
        runner.run(2,
                   [&](comm::Communicator& all) {
                     World world(all);
                     Training own(amp, options_of(zero));
                     for (int i = 0; i < kSteps; ++i) own.step(batch_of(i));
                     EXPECT_TRUE(has_products_in(own.step.plan(), amp));
                     const std::vector<Tensor> actual = own.weights();
                     for (size_t i = 0; i < expected.size(); ++i)
                       EXPECT_TRUE(allclose(actual[i], expected[i], 1e-2, 2e-3))
                           << name_of(amp) << " zero " << zero << " parameter " << i
                           << " differs by " << (actual[i] - expected[i]).abs().max();
                   },
                   {});
  }
}

// With ZeRO a rank sees its own part of the gradients alone: an infinity that one of them finds has
// to make all leave out the step and halve the factor.
TEST(AmpOnAMesh, OneRanksInfinityIsSeenByAll) {
  for (const comm::RankRunner& runner : comm::rank_runners())
    for (const int zero : {0, 1, 2, 3})
      runner.run(2,
                 [&](comm::Communicator& all) {
                   World world(all);
                   Training own(DType::kFloat16, options_of(zero));
                   own.step(batch_of(0));
                   const std::vector<Tensor> before = own.weights();
                   const double factor = own.step.scaler().get_scale();
                   std::vector<Tensor> batch = batch_of(1);
                   batch[1][63][7] =
                       std::numeric_limits<float>::infinity();  // the last column's gradient
                   own.step(batch);
                   EXPECT_EQ(own.step.scaler().get_scale(), factor / 2);
                   const std::vector<Tensor> after = own.weights();
                   for (size_t i = 0; i < before.size(); ++i)
                     EXPECT_TRUE(equal(after[i], before[i])) << i;
                   own.step(batch_of(2));
                   EXPECT_EQ(own.step.scaler().get_scale(), factor / 2);
                   EXPECT_FALSE(equal(own.weights()[0], before[0]));
                 },
                 {});
}

// Two stages, each on two data ranks.
std::shared_ptr<const ParallelOptions> pipeline_of(int zero, const std::string& schedule) {
  auto out = std::make_shared<ParallelOptions>(*options_of(zero));
  out->pipeline = 2;
  out->schedule = schedule;
  return out;
}

TEST(AmpOnAPipeline, IsThatOfOneDevice) {
  for (const DType amp : {DType::kBFloat16, DType::kFloat16}) {
    Training one(amp, nullptr, 2);
    for (int i = 0; i < kSteps; ++i) one.step(batch_of(i));
    const std::vector<Tensor> expected = one.weights();
    for (const comm::RankRunner& runner : comm::rank_runners())
      for (const int zero : {0, 1, 2, 3})
        runner.run(4,
                   [&](comm::Communicator& all) {
                     World world(all);
                     Training own(amp, pipeline_of(zero, zero == 1 ? "zb-h1" : "1f1b"), 2);
                     for (int i = 0; i < kSteps; ++i) own.step(batch_of(i));
                     bool any = false;
                     for (const Plan* plan : own.step.pipeline_plans())
                       any = any || has_products_in(*plan, amp);
                     EXPECT_TRUE(any);
                     const std::vector<Tensor> actual = own.weights();
                     for (size_t i = 0; i < expected.size(); ++i)
                       EXPECT_TRUE(allclose(actual[i], expected[i], 1e-2, 2e-3))
                           << name_of(amp) << " zero " << zero << " parameter " << i
                           << " differs by " << (actual[i] - expected[i]).abs().max();
                   },
                   {});
  }
}

// The infinity is in the gradients of the last stage; the first one has to leave out its step too.
TEST(AmpOnAPipeline, OneStagesInfinityIsSeenByAll) {
  for (const int zero : {0, 3})
    comm::run_ranks(4, [&](comm::Communicator& all) {
      World world(all);
      Training own(DType::kFloat16, pipeline_of(zero, "1f1b"), 2);
      own.step(batch_of(0));
      const std::vector<Tensor> before = own.weights();
      const double factor = own.step.scaler().get_scale();
      std::vector<Tensor> batch = batch_of(1);
      batch[1][63][7] = std::numeric_limits<float>::infinity();
      own.step(batch);
      EXPECT_EQ(own.step.scaler().get_scale(), factor / 2);
      const std::vector<Tensor> after = own.weights();
      for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(equal(after[i], before[i])) << i;
      own.step(batch_of(2));
      EXPECT_EQ(own.step.scaler().get_scale(), factor / 2);
      EXPECT_FALSE(equal(own.weights()[0], before[0]));
    });
}

}  // namespace
}  // namespace oneagent
