// Stages that the user names, and what is said when a program does not fit a pipeline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/torch/pipeline_programs.h"

namespace oneagent {
namespace {

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

Model named_model(const std::vector<int>& stages) {
  manual_seed(4);
  auto net = nn::Sequential(nn::Linear(8, 8), nn::Linear(8, 8), nn::Linear(8, 4));
  return {net.ptr(), [net, stages](const Tensors& in) mutable {
            Tensor x = in[0];
            for (size_t i = 0; i < stages.size(); ++i) {
              const nn::StageScope stage(stages[i]);
              x = tanh(net[i]->as<nn::Linear>()->forward(x));
            }
            return nn::functional::cross_entropy(x, in[1]) / kMicroBatches;
          }};
}

TEST(GraphPipeline, StagesAreThoseThatTheUserNames) {
  const Trained expected =
      train(named_model({0, 1, 1}), deep_batch, 3, {.micro_batches = kMicroBatches});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const Trained actual =
        train(named_model({0, 1, 1}), deep_batch, 3, pipeline_options(2, "1f1b", kMicroBatches),
              [&](nn::Graph&, const Model& model, auto&) {
                const Tensors parameters = model.module->parameters();
                for (size_t i = 0; i < parameters.size(); ++i)
                  EXPECT_EQ(distributed::sharding_of(parameters[i]),
                            Sharding({Placement::owner(i < 2 ? 0 : 1)}));
              });
    expect_same_bits(actual, expected);
  });
}

// Recorded again for batches of another size, and for values alone, parameters stay where they lie.
TEST(GraphPipeline, OtherBatchesAndEvaluationUseTheSameStages) {
  const auto batch = [](int step) { return token_batch(step, step % 2 == 0 ? 8 : 4); };
  const Trained expected = train(stack_model(3, false), batch, 4, {.micro_batches = 2});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const nn::GraphOptions options = pipeline_options(2, "zb-h1", 2);
    const Model model = stack_model(3, false);
    const Trained actual = train(model, batch, 4, options);
    expect_same_bits(actual, expected);
    nn::Graph evaluate([&](const Tensors& in) { return Tensors{model.loss(in), in[1]}; }, options);
    evaluate.add_parameters(model.module->parameters());
    const NoGradGuard no_grad;
    const Tensors results = evaluate(token_batch(9));
    EXPECT_EQ(results[0].sizes(), Shape({2}));
    EXPECT_TRUE(equal(results[1], token_batch(9)[1]));
  });
}

// In-place calls, frozen layers, memory that is no parameter, two losses, gradients as results.
TEST(GraphPipeline, ProgramsOfManyKinds) {
  const auto make = [] {
    manual_seed(6);
    auto net = nn::Sequential();
    for (int i = 0; i < 6; ++i) net->push_back(nn::Linear(8, 8));
    net->to(kFloat64);
    net[1]->as<nn::Linear>()->weight.requires_grad_(false);
    const Tensor target = randn({8, 8}, kFloat64);
    return Model{net.ptr(), [net, target](const Tensors& in) mutable {
                   Tensor x = in[0].to(kFloat64) * 2;
                   for (size_t i = 0; i < 6; ++i) {
                     x = net[i]->as<nn::Linear>()->forward(x);
                     x.relu_();
                     if (i == 3) x.mul(0.1).mean().div(kMicroBatches).backward({}, true);
                   }
                   x = x + 1.5;
                   x[0].mul_(2);
                   return (x - in[0].to(kFloat64).matmul(target)).pow(2).mean() / kMicroBatches;
                 }};
  };
  const Trained expected = train(make(), deep_batch, 4, {.micro_batches = kMicroBatches});
  for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"})
    comm::run_ranks(2, [&](comm::Communicator& all) {
      World world(all);
      expect_same_bits(train(make(), deep_batch, 4, pipeline_options(2, schedule, kMicroBatches)),
                       expected);
    });
}

// A zero-bubble schedule over stages that are shared out, on threads and on gloo.
TEST(GraphPipeline, SharedStagesOnGlooEqualThreads) {
  const auto batch = [](int step) { return token_batch(step); };
  std::vector<Trained> trained;
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    Trained result;
    runner.run(4,
               [&](comm::Communicator& all) {
                 World world(all);
                 nn::GraphOptions options = pipeline_options(2, "zb-h1", 2, Mesh({2}, {"data"}));
                 auto parallel = std::make_shared<ParallelOptions>(*options.parallel);
                 parallel->cost.flops_per_second = parallel->cost.bytes_per_second = 1e6;
                 options.parallel = parallel;
                 const Trained mine =
                     train(stack_model(2, true), batch, 3, options,
                           [&](nn::Graph& step, const Model& model, auto&) {
                             for (const Tensor& parameter : model.module->parameters()) {
                               const int owner = distributed::sharding_of(parameter)[0].axis;
                               if (owner != all.rank() / 2) {
                                 EXPECT_EQ(local_part(parameter).numel(), 0) << step.sharding();
                                 EXPECT_EQ(local_part(parameter.grad()).numel(), 0);
                               }
                             }
                           });
                 if (all.rank() == 0) result = mine;
               },
               {});
    trained.push_back(std::move(result));
  }
  expect_close(trained[0], train(stack_model(2, true), batch, 3, {.micro_batches = 2}));
  for (size_t i = 1; i < trained.size(); ++i) expect_same_bits(trained[i], trained[0]);
}

TEST(GraphPipeline, ErrorsSayWhatToWriteInstead) {
  using ::testing::HasSubstr;
  const auto of_rank_zero = [](int ranks, const nn::GraphOptions& options,
                               const std::function<Model()>& make, const Tensors& batch) {
    std::string text;
    comm::run_ranks(ranks, [&](comm::Communicator& all) {
      World world(all);
      const Model model = make();
      const std::string mine = message_of([&] {
        train(
            model, [&](int) { return batch; }, 1, options);
      });
      if (all.rank() == 0) text = mine;
    });
    return text;
  };
  EXPECT_THAT(of_rank_zero(2, pipeline_options(2, "1f1b", 5), deep_model, deep_batch(0)),
              HasSubstr("cannot be split into 5 equal micro-batches; take a batch of 15 rows, or a "
                        "micro_batches that divides 12"));
  EXPECT_THAT(of_rank_zero(2, pipeline_options(3, "1f1b", 6), deep_model, deep_batch(0)),
              HasSubstr("make a mesh of 3 ranks [pipeline=3], but the world has 2; start 3 ranks"));
  nn::GraphOptions many = pipeline_options(2, "interleaved", 6);
  auto parallel = std::make_shared<ParallelOptions>(*many.parallel);
  parallel->stages_per_rank = 40;
  many.parallel = parallel;
  EXPECT_THAT(of_rank_zero(2, many, deep_model, deep_batch(0)),
              HasSubstr("places to be cut at, 80 stages need 79; take fewer ranks"));
  EXPECT_THAT(of_rank_zero(
                  2, pipeline_options(2, "1f1b", 6),
                  [] {
                    return named_model({1, 0, 1});
                  },
                  deep_batch(0)),
              HasSubstr("but stages run in the order 0, 1, ...; compute it in stage 1 or a later"));
  EXPECT_THAT(of_rank_zero(
                  2, pipeline_options(2, "1f1b", 6),
                  [] {
                    return named_model({0, 1, 2});
                  },
                  deep_batch(0)),
              HasSubstr("is in stage 2, but 2 ranks with 1 stages each have stages 0 to 1"));
  EXPECT_THAT(of_rank_zero(
                  2, pipeline_options(2, "1f1b", 6),
                  [] {
                    return named_model({0, 0, 0});
                  },
                  deep_batch(0)),
              HasSubstr("no call is in stage 1 of 2; name all stages with StageScope, or none"));
  EXPECT_THAT(of_rank_zero(2, pipeline_options(2, "interleaved", 5), deep_model, deep_batch(0)),
              HasSubstr("cannot be split into 5"));
  EXPECT_THAT(of_rank_zero(2, pipeline_options(2, "2f2b", 6), deep_model, deep_batch(0)),
              HasSubstr("unknown schedule \"2f2b\""));
}

}  // namespace
}  // namespace oneagent
