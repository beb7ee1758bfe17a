// How many stages are chosen: pipelines for deep narrow programs, shared calls for wide ones, and
// what fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dist/measured_cost.h"
#include "core/plan/layout.h"
#include "tests/core/torch/pipeline_programs.h"

namespace oneagent {
namespace {

PipelineLayout layout_of(const Model& model, const Tensors& micro_batch, ParallelOptions options,
                         int ranks, int micro_batches) {
  PipelineLayout out;
  comm::run_ranks(1, [&](comm::Communicator& all) {
    World world(all);
    out = choose_layout(
        [&](const Tensors& in) {
          const Tensor loss = model.loss(in);
          loss.backward();
          return Tensors{loss};
        },
        micro_batch, model.module->parameters(), options, ranks, micro_batches,
        default_generator());
  });
  return out;
}

Model chain(int depth, int64_t width) {
  manual_seed(2);
  auto net = nn::Sequential();
  for (int i = 0; i < depth; ++i) {
    net->push_back(nn::Linear(width, width));
    net->push_back(nn::Tanh());
  }
  return {net.ptr(), [net](const Tensors& in) mutable { return net->forward(in[0]).pow(2).sum(); }};
}

TEST(GraphLayout, DeepNarrowProgramsArePipelined) {
  ParallelOptions options;
  options.cost.flops_per_second = 1e9;
  const PipelineLayout layout = layout_of(chain(32, 32), {randn({1, 32})}, options, 4, 16);
  EXPECT_EQ(layout.options().pipeline, 4) << layout.text();
  EXPECT_THAT(layout.text(), ::testing::HasSubstr("* pipeline = 4, 1 ranks a stage: "));
}

// With recompute, too: what a block computes again belongs where the block is.
TEST(GraphLayout, EqualBlocksAreCutIntoEqualStages) {
  for (const bool recompute : {false, true})
    for (const Mesh& mesh : {Mesh(), Mesh({2, 2}, {"data", "tensor"})}) {
      const Model model = stack_model(8, recompute, false, 2, 32);
      ParallelOptions options;
      options.mesh = mesh;
      options.pipeline = 4;
      options.cost.flops_per_second = options.cost.bytes_per_second = 1e6;
      options.pipeline_link = {0, 0};
      std::vector<distributed::PipelineEstimate> estimates;
      comm::run_ranks(1, [&](comm::Communicator& all) {
        World world(all);
        estimates = distributed::plan_pipelines(
            [&](const Tensors& in) {
              const Tensor loss = model.loss(in);
              loss.backward();
              return Tensors{loss};
            },
            token_batch(0, 4), model.module->parameters(), {options}, default_generator());
      });
      ASSERT_EQ(estimates[0].refusal, "");
      const distributed::StagePlan& plan = estimates[0].stages;
      double sum = 0, slowest = 0;
      for (size_t stage = 0; stage < 4; ++stage) {
        const double seconds = plan.forward_seconds[stage] + plan.backward_seconds[stage];
        sum += seconds;
        slowest = std::max(slowest, seconds);
      }
      EXPECT_LE(slowest, 1.1 * sum / 4) << "recompute " << recompute << "\n" << estimates[0].text;
    }
}

TEST(GraphLayout, ManyRowsAreSharedOut) {
  ParallelOptions options;
  options.cost.flops_per_second = 1e9;
  const PipelineLayout layout = layout_of(chain(2, 32), {randn({4096, 32})}, options, 4, 1);
  EXPECT_EQ(layout.options().pipeline, 1) << layout.text();
}

TEST(GraphLayout, OnlyWhatFitsIsChosen) {
  const Model model = chain(16, 32);
  ParallelOptions options;
  const PipelineLayout any = layout_of(model, {randn({64, 32})}, options, 2, 4);
  double least = any.candidates[0].bytes;
  size_t smallest = 0;
  for (size_t i = 0; i < any.candidates.size(); ++i)
    if (any.candidates[i].bytes < least) {
      least = any.candidates[i].bytes;
      smallest = i;
    }
  options.memory_bytes = least * 1.0001;
  EXPECT_EQ(layout_of(model, {randn({64, 32})}, options, 2, 4).chosen, smallest) << any.text();
  options.memory_bytes = least / 2;
  EXPECT_THROW(layout_of(model, {randn({64, 32})}, options, 2, 4), Error);
}

// Decisions need the same figures on all ranks.
TEST(GraphLayout, MeasuredCostsAreTheSameOnAllRanks) {
  comm::run_ranks(2, [](comm::Communicator& all) {
    World world(all);
    const distributed::CostModel cost = distributed::measured_cost(all);
    EXPECT_GT(cost.flops_per_second, 1e7);
    EXPECT_GT(cost.bytes_per_second, 1e7);
    EXPECT_GT(cost.link[0].alpha, 0);
    double mine[] = {cost.flops_per_second, cost.bytes_per_second, cost.link[0].alpha,
                     cost.link[0].beta};
    double largest[] = {mine[0], mine[1], mine[2], mine[3]};
    all.all_reduce(largest, 4, DType::kFloat64, Reduce::kMax);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(mine[i], largest[i]);
    auto parallel = std::make_shared<ParallelOptions>();
    parallel->automatic = true;
    parallel->cost = cost;
    parallel->pipeline_link = cost.link[0];
    const auto batch = [](int step) { return token_batch(step); };
    expect_close(train(stack_model(2, false), batch, 2, {.micro_batches = 2, .parallel = parallel}),
                 train(stack_model(2, false), batch, 2, {.micro_batches = 2}));
  });
}

TEST(GraphLayout, WhatIsChosenTrainsAsOneDevice) {
  const auto batch = [](int step) { return token_batch(step); };
  const Trained expected = train(stack_model(2, false), batch, 5, {.micro_batches = 2});
  for (const double alpha : {0.0, 1.0}) {  // of collectives: dear ones leave the pipeline
    comm::run_ranks(2, [&](comm::Communicator& all) {
      World world(all);
      auto parallel = std::make_shared<ParallelOptions>();
      parallel->automatic = true;
      parallel->cost.flops_per_second = parallel->cost.bytes_per_second = 1e6;
      parallel->cost.link[0].alpha = alpha;
      const Trained actual =
          train(stack_model(2, false), batch, 5, {.micro_batches = 2, .parallel = parallel},
                [&](nn::Graph& step, const Model&, auto&) {
                  EXPECT_THAT(step.sharding(),
                              ::testing::HasSubstr(str("* pipeline = ", alpha == 0 ? 1 : 2, ",")));
                });
      expect_close(actual, expected);
    });
  }
}

}  // namespace
}  // namespace oneagent
