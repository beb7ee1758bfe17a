// Reference program: a GPT in data x tensor x pipeline, with ZeRO and recompute, against one
// device. What a rank holds, keeps and sends is asserted on threads and on gloo.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/core/torch/pipeline_programs.h"
#include "tests/core/torch/plan_flops.h"

namespace oneagent {
namespace {

constexpr int kBlocks = 4, kParts = 2, kStages = 2;

Model gpt() { return stack_model(kBlocks, true, false, kParts, 32); }
Tensors tokens(int step) { return token_batch(step, 8); }

nn::GraphOptions on_mesh(int zero) {
  nn::GraphOptions out =
      pipeline_options(kStages, "1f1b", kParts, Mesh({2, 2}, {"data", "tensor"}));
  auto parallel = std::make_shared<ParallelOptions>(*out.parallel);
  parallel->zero = zero;
  parallel->split_leaves = {1};
  parallel->cost.flops_per_second = parallel->cost.bytes_per_second = 1e6;  // it pays to share out
  out.parallel = parallel;
  return out;
}

// Of the parameters that this rank's stage owns.
struct Held {
  size_t bytes = 0, whole = 0;  // with gradients and Adam's state; of the parameters alone
  int64_t leaves = 0;
};

Held held_by(int stage, const Model& model, optim::Adam& adam) {
  Held out;
  for (const Tensor& parameter : model.module->parameters()) {
    const auto& state =
        static_cast<const optim::AdamParamState&>(*adam.state().at(optim::param_key(parameter)));
    out.bytes += local_part(parameter).nbytes() + local_part(parameter.grad()).nbytes() +
                 state.exp_avg().nbytes() + state.exp_avg_sq().nbytes();
    if (global_parts(parameter).sharding[0].axis != stage) continue;
    out.whole += static_cast<size_t>(parameter.numel()) * parameter.element_size();
    ++out.leaves;
  }
  return out;
}

// What a rank sends in a step: calls and bytes, as tests/golden/mesh_gpt.txt has them.
std::string line_of(int zero, int stage, const comm::Traffic& before, const comm::Traffic& now) {
  const auto moved = [&](auto of) {
    return str(of(now).calls - of(before).calls, " of ", of(now).bytes - of(before).bytes);
  };
  return str("zero ", zero, " stage ", stage, ": all_reduce ",
             moved([](const comm::Traffic& x) { return x.all_reduce; }), ", reduce_scatter ",
             moved([](const comm::Traffic& x) { return x.reduce_scatter; }), ", all_gather ",
             moved([](const comm::Traffic& x) { return x.all_gather; }), ", all_to_all ",
             moved([](const comm::Traffic& x) { return x.all_to_all; }), ", send ",
             moved([](const comm::Traffic& x) { return x.send; }), "\n");
}

class MeshGpt : public ::testing::TestWithParam<int> {};

TEST_P(MeshGpt, DataTensorPipelineZeroAndRecompute) {
  const int zero = GetParam(), steps = 4;
  const std::string golden = read_text(std::filesystem::path(OA_GOLDEN) / "mesh_gpt.txt");
  double flops = 0;  // of one micro-batch on one device, with what is computed again
  const Trained expected = train(gpt(), tokens, steps, {.micro_batches = kParts},
                                 [&](nn::Graph& step, const Model&, auto&) {
                                   step(tokens(steps));
                                   flops = flops_of_plan(step.plan());
                                 });
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(
        8,
        [&](comm::Communicator& all) {
          World world(all);
          const int stage = all.rank() / 4;
          const Trained actual =
              train(gpt(), tokens, steps, on_mesh(zero),
                    [&](nn::Graph& step, const Model& model, optim::Adam& adam) {
                      const Held held = held_by(stage, model, adam);
                      const auto whole = static_cast<double>(held.whole);
                      // Halved by tensor ranks; by the two data ranks what ZeRO splits.
                      const double formula[] = {4, 2 + 2 / 2.0, 1 + 3 / 2.0, 4 / 2.0};
                      EXPECT_LE(static_cast<double>(held.bytes), 1.05 * formula[zero] / 2 * whole)
                          << step.sharding();
                      EXPECT_GE(static_cast<double>(held.bytes), 0.999 * formula[zero] / 2 * whole);

                      double own = 0;
                      for (const Plan* plan : step.pipeline_plans()) own += flops_of_plan(*plan);
                      EXPECT_LE(own, 1.05 * flops / 8) << step.sharding();
                      EXPECT_GE(own, 0.95 * flops / 8);

                      const auto simulation =
                          simulate(make_pipeline(pipeline_kind("1f1b"), {kStages, kParts, 1}));
                      EXPECT_EQ(step.pipeline_use().micro_batches,
                                simulation.held[static_cast<size_t>(stage)]);

                      const comm::Traffic before = world.traffic();
                      step(tokens(steps));
                      const comm::Traffic now = world.traffic();
                      if (all.rank() % 4 != 0) return;
                      const std::string line = line_of(zero, stage, before, now);
                      EXPECT_THAT(golden, ::testing::HasSubstr(line)) << step.sharding();
                    });
          expect_close(actual, expected);
        },
        {});
}

INSTANTIATE_TEST_SUITE_P(Zero, MeshGpt, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace oneagent
