// Training programs on a pipeline of ranks: equal to one device, bit for bit where a stage is one
// rank; memory and activations are those of the schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/trace.h"
#include "tests/core/torch/pipeline_programs.h"

namespace oneagent {
namespace {

class PipelineSchedules : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(PipelineSchedules, EqualOneDeviceBitForBit) {
  const auto [schedule, ranks] = GetParam();
  const Trained expected = train(deep_model(), deep_batch, 5, {.micro_batches = kMicroBatches});
  comm::run_ranks(ranks, [&, name = schedule, count = ranks](comm::Communicator& all) {
    World world(all);
    const nn::GraphOptions options = pipeline_options(count, name, kMicroBatches);
    const Trained actual =
        train(deep_model(), deep_batch, 5, options, [&](nn::Graph& step, const Model&, auto&) {
          const auto simulation = simulate(make_pipeline(
              pipeline_kind(name), {count, kMicroBatches, options.parallel->stages_per_rank}));
          EXPECT_EQ(step.pipeline_use().micro_batches, simulation.held[all.rank()])
              << "rank " << all.rank() << "\n"
              << step.sharding();
          EXPECT_GT(step.pipeline_use().bytes, 0u);
        });
    expect_same_bits(actual, expected);
  });
}

INSTANTIATE_TEST_SUITE_P(All, PipelineSchedules,
                         ::testing::Combine(::testing::Values("gpipe", "1f1b", "interleaved",
                                                              "zb-h1", "zb-h2"),
                                            ::testing::Values(2, 3)),
                         [](const auto& info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              std::to_string(std::get<1>(info.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GraphPipeline, ThreeDimensionsEqualOneDevice) {
  for (const bool recompute : {false, true}) {
    const auto batch = [](int step) { return token_batch(step); };
    const Trained expected = train(stack_model(4, recompute), batch, 20, {.micro_batches = 2});
    comm::run_ranks(8, [&](comm::Communicator& all) {
      World world(all);
      nn::GraphOptions options = pipeline_options(2, "1f1b", 2, Mesh({2, 2}, {"data", "tensor"}));
      auto parallel = std::make_shared<ParallelOptions>(*options.parallel);
      parallel->cost.flops_per_second = parallel->cost.bytes_per_second = 1e6;
      options.parallel = parallel;
      const Trained actual = train(
          stack_model(4, recompute), batch, 20, options, [&](nn::Graph& step, const Model&, auto&) {
            EXPECT_GT(world.traffic().all_reduce.calls + world.traffic().reduce_scatter.calls, 0)
                << step.sharding();
            EXPECT_GT(world.traffic().send.bytes, 0) << step.sharding();
          });
      expect_close(actual, expected);
    });
  }
}

TEST(GraphPipeline, RecomputedBlocksEqualOneDeviceBitForBitAndKeepLess) {
  const auto batch = [](int step) { return token_batch(step, 8); };
  size_t bytes[2] = {};
  for (const bool recompute : {false, true}) {
    const Trained expected =
        train(stack_model(4, recompute, false, 4), batch, 5, {.micro_batches = 4});
    comm::run_ranks(2, [&](comm::Communicator& all) {
      World world(all);
      const Trained actual =
          train(stack_model(4, recompute, false, 4), batch, 5, pipeline_options(2, "1f1b", 4),
                [&](nn::Graph& step, const Model&, auto&) {
                  if (all.rank() == 0) bytes[recompute] = step.pipeline_use().bytes;
                });
      expect_same_bits(actual, expected);
    });
  }
  EXPECT_LT(bytes[1] * 2, bytes[0]);
}

// Each rank holds its stages' parameters and their state, and nothing of the others'.
TEST(GraphPipeline, RanksHoldTheirStagesAlone) {
  std::vector<size_t> held(3), sent(3);
  size_t whole = 0;
  comm::run_ranks(3, [&](comm::Communicator& all) {
    World world(all);
    train(deep_model(), deep_batch, 2, pipeline_options(3, "1f1b", kMicroBatches),
          [&](nn::Graph&, const Model& model, optim::Adam& adam) {
            size_t bytes = 0, logical = 0;
            for (const Tensor& parameter : model.module->parameters()) {
              const auto& state = static_cast<const optim::AdamParamState&>(
                  *adam.state().at(optim::param_key(parameter)));
              bytes += local_part(parameter).impl().storage->bytes() +
                       local_part(parameter.grad()).impl().storage->bytes() +
                       state.exp_avg().impl().storage->bytes() +
                       state.exp_avg_sq().impl().storage->bytes();
              logical += 4 * static_cast<size_t>(parameter.numel()) * parameter.element_size();
            }
            held[static_cast<size_t>(all.rank())] = bytes;
            if (all.rank() == 0) whole = logical;
          });
  });
  EXPECT_EQ(held[0] + held[1] + held[2], whole);
  for (const size_t bytes : held)
    EXPECT_LE(static_cast<double>(bytes), 1.3 * static_cast<double>(whole) / 3);
}

TEST(GraphPipeline, ThreadsAndGlooGiveTheSameBits) {
  std::vector<Trained> trained;
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    Trained result;
    runner.run(3,
               [&](comm::Communicator& all) {
                 World world(all);
                 const Trained mine = train(deep_model(), deep_batch, 3,
                                            pipeline_options(3, "zb-h1", kMicroBatches));
                 if (all.rank() == 0) result = mine;
               },
               {});
    trained.push_back(std::move(result));
  }
  for (size_t i = 1; i < trained.size(); ++i) expect_same_bits(trained[i], trained[0]);
}

// The embedding is used by the first and the last stage: its values are sent, its gradient comes
// back.
TEST(GraphPipeline, AParameterOfTwoStagesIsSent) {
  const auto batch = [](int step) { return token_batch(step); };
  const Trained expected = train(stack_model(3, false, true), batch, 5, {.micro_batches = 2});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    expect_same_bits(train(stack_model(3, false, true), batch, 5, pipeline_options(2, "1f1b", 2)),
                     expected);
  });
}

// The norm of all gradients is that of one device, and so is the step.
TEST(GraphPipeline, GradientsAreClippedTogether) {
  const auto run = [](const nn::GraphOptions& options) {
    const Model model = deep_model();
    optim::SGD sgd(model.module->parameters(), optim::SGDOptions(0.1));
    nn::Graph step(
        [&](const Tensors& in) {
          model.loss(in).backward();
          return Tensors{};
        },
        options);
    step.add_parameters(model.module->parameters());
    manual_seed(21);
    Trained out;
    for (int i = 0; i < 3; ++i) {
      step(deep_batch(i));
      out.losses.push_back(tensor(nn::utils::clip_grad_norm_(model.module->parameters(), 0.01)));
      sgd.step();
      sgd.zero_grad(true);
    }
    out.state = whole_state(*model.module);
    return out;
  };
  const Trained expected = run({.micro_batches = kMicroBatches});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const Trained actual = run(pipeline_options(2, "1f1b", kMicroBatches));
    for (size_t i = 0; i < actual.losses.size(); ++i)
      EXPECT_TRUE(allclose(actual.losses[i], expected.losses[i], 1e-5, 1e-6));
    for (size_t i = 0; i < actual.state.size(); ++i)
      EXPECT_TRUE(allclose(actual.state[i], expected.state[i], 1e-5, 1e-6));
  });
}

// The gradients of a stage are reduced together over its data ranks, and the sums are the same.
TEST(GraphPipeline, GradientsOfAStageAreReducedInBuckets) {
  const auto batch = [](int step) { return token_batch(step); };
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    Trained each, joined;
    int64_t calls[2] = {}, bytes[2] = {};
    for (const bool buckets : {false, true})
      runner.run(
          4,
          [&](comm::Communicator& all) {
            World world(all);
            nn::GraphOptions options = pipeline_options(2, "1f1b", 2, Mesh({2}, {"data"}));
            auto parallel = std::make_shared<ParallelOptions>(*options.parallel);
            parallel->pin_input = [](const Tensor&) {
              return distributed::Pin{Placement::split(0)};
            };
            parallel->pin_leaf = [](const Tensor&) {
              return distributed::Pin{Placement::broadcast()};
            };
            parallel->bucket_bytes = buckets ? 1e9 : 0;
            parallel->cost.flops_per_second = parallel->cost.bytes_per_second = 1e6;
            options.parallel = parallel;
            int64_t own_calls = 0, own_bytes = 0;
            const Trained mine =
                train(stack_model(2, false), batch, 3, options, [&](nn::Graph& step, auto&, auto&) {
                  const comm::Traffic before = world.traffic();
                  step(batch(3));
                  own_calls = world.traffic().all_reduce.calls - before.all_reduce.calls;
                  own_bytes = world.traffic().all_reduce.bytes - before.all_reduce.bytes;
                });
            if (all.rank() != 0) return;
            (buckets ? joined : each) = mine;
            calls[buckets] = own_calls;
            bytes[buckets] = own_bytes;
          },
          {});
    expect_same_bits(joined, each);
    EXPECT_LT(4 * calls[1], calls[0]) << runner.name;
    EXPECT_EQ(bytes[1], bytes[0]);
  }
}

// Every part of a rank is timed, and a trace shows its calls and its actions.
TEST(GraphPipeline, IsProfiledAndTraced) {
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    train(deep_model(), deep_batch, 1, pipeline_options(2, "1f1b", kMicroBatches),
          [&](nn::Graph& step, const Model&, auto&) {
            const std::string text = step.profile(deep_batch(1), 2);
            EXPECT_THAT(text, ::testing::HasSubstr("part 0"));
            EXPECT_THAT(text, ::testing::HasSubstr("part 1"));
            EXPECT_THAT(text, ::testing::HasSubstr("tanh"));
            Trace trace;
            step.set_trace(&trace, "rank/");
            step(deep_batch(2));
            step.set_trace(nullptr);
            const auto actions = trace.spans("rank/pipeline");
            const auto count = [&](const std::string& kind) {
              return std::count_if(actions.begin(), actions.end(), [&](const TraceSpan& span) {
                return span.name == kind + " of stage " + std::to_string(all.rank());
              });
            };
            EXPECT_EQ(count("F"), kMicroBatches);
            EXPECT_EQ(count("B"), kMicroBatches);
            EXPECT_EQ(count("REDUCE"), 1);
            EXPECT_FALSE(trace.spans("rank/compute").empty());
          });
  });
}

// State that an optimizer has before the first call, as from a checkpoint, goes to the stages.
TEST(GraphPipeline, GoesOnWithTheStateOfACheckpoint) {
  const auto run = [](const nn::GraphOptions& first, const nn::GraphOptions& second) {
    const Model model = deep_model();
    optim::Adam adam(model.module->parameters(), optim::AdamOptions(1e-2));
    manual_seed(21);
    for (const nn::GraphOptions& options : {first, second}) {
      nn::Graph step(
          [&](const Tensors& in) {
            model.loss(in).backward();
            return Tensors{};
          },
          options);
      step.add_optimizer(adam);
      for (int i = 0; i < 2; ++i) step(deep_batch(i));
    }
    return Trained{whole_state(*model.module), {}};
  };
  const nn::GraphOptions one = {.micro_batches = kMicroBatches};
  const Trained expected = run(one, one);
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    expect_same_bits(run(one, pipeline_options(2, "1f1b", kMicroBatches)), expected);
  });
}

}  // namespace
}  // namespace oneagent
