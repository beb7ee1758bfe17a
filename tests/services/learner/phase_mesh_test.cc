// In how many parts a batch passes a pipeline, and where parameters then lie.
#include "services/learner/phase_mesh.h"

#include <gtest/gtest.h>

#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"
#include "services/learner/rank_team.h"
#include "tests/services/learner/fixed_learner.h"

namespace oneagent {
namespace {

Phase update_of(Algorithm& ppo) {
  for (Phase& phase : ppo.phases())
    if (phase.name == "update") return std::move(phase);
  throw_error("ppo has no phase update");
}

int parts(const MeshOptions& options, int64_t rows) {
  const auto ppo = make_ppo("cartpole", Json::object());
  return micro_batches_of(
      mesh_of(options), update_of(*ppo),
      {{"input", zeros({rows, 4})}, {"advantage", zeros({rows})}, {"clip", full({}, 0.2)}});
}

TEST(PhaseMesh, ABatchPassesInEqualPartsWithARowForEachDataRank) {
  EXPECT_EQ(parts({4, 2, 1}, 64), 1) << "no pipeline";
  MeshOptions two{1, 1, 2};
  EXPECT_EQ(parts(two, 64), 4) << "twice pipeline";
  EXPECT_EQ(parts(two, 63), 3);
  EXPECT_EQ(parts(two, 61), 1);
  two.micro_batches = 10;
  EXPECT_EQ(parts(two, 64), 8);
  two.data = 16;
  EXPECT_EQ(parts(two, 64), 4);
  MeshOptions interleaved{1, 1, 3};
  interleaved.schedule = "interleaved";
  EXPECT_EQ(parts(interleaved, 24), 6);
  EXPECT_EQ(parts(interleaved, 21), 3);
  EXPECT_EQ(parts(interleaved, 64), 0) << "64 is no multiple of 3";
}

TEST(PhaseMesh, APhaseOfWholeBatchesIsOnePart) {
  const Phase whole{"whole", nullptr, "policy"};
  EXPECT_EQ(micro_batches_of(mesh_of({1, 1, 2}), whole, {{"x", zeros({64, 4})}}), 1);
}

// The rows of a recurrent policy are its lanes: the mean over parts is that of the whole.
TEST(PhaseMesh, PartsOfARecurrentMinibatchAreLanes) {
  const Json options = {{"core", "gru"}, {"core_size", 8}, {"dtype", "float64"}};
  const auto ppo = make_ppo("cartpole", options);
  const Phase update = update_of(*ppo);
  Generator generator(3);
  const int64_t steps = 5, lanes = 4;
  const auto numbers = [&](const Shape& sizes) { return randn(sizes, generator).to(kFloat64); };
  TensorMap batch = {
      {"input", numbers({steps, lanes, 4})}, {"first", zeros({steps, lanes}, kBool)},
      {"state.core", numbers({lanes, 8})},   {"action", randint(0, 2, {steps * lanes}, generator)},
      {"clip", full({}, 0.2).to(kFloat64)},  {"entropy_coef", full({}, 0.01).to(kFloat64)}};
  for (const char* name : {"log_prob", "value", "advantage", "returns"})
    batch[name] = numbers({steps * lanes});
  EXPECT_EQ(update.rows(batch), lanes);
  double mean_loss = 0, mean_kl = 0;
  for (int64_t lane = 0; lane < lanes; lane += 2) {
    const PhaseOut part = update.function(update.part(batch, lane, 2));
    mean_loss += part.loss.item<double>() / 2;
    mean_kl += part.outputs.at("kl").item<double>() / 2;
  }
  const PhaseOut whole = update.function(batch);
  EXPECT_NEAR(mean_loss, whole.loss.item<double>(), 1e-12);
  EXPECT_NEAR(mean_kl, whole.outputs.at("kl").item<double>(), 1e-12);
}

// The first rank holds what the first stage uses and nothing of the rest.
TEST(PhaseMesh, AParameterLiesOnTheRanksOfItsStageAlone) {
  const Json options = {{"steps", 16}, {"minibatch", 32}};
  const auto chunks = collect("cartpole", options, 1);
  FixedLearner learner("cartpole", options, chunks);
  RankTeam team({1, 1, 2}, learner.trainer,
                RankProgram{[&] { return make_ppo("cartpole", options); }, 7, "fault"});
  learner.train(1);
  int64_t whole = 0, held = 0;
  for (const Tensor& parameter : learner.algorithm->model().parameters()) {
    ASSERT_TRUE(is_global(parameter));
    const Placement& placement = global_parts(parameter).sharding[0];
    ASSERT_TRUE(placement.is_owner());
    EXPECT_EQ(local_part(parameter).numel(), placement.axis == 0 ? parameter.numel() : 0);
    whole += parameter.numel();
    held += local_part(parameter).numel();
  }
  EXPECT_GT(held, 0);
  EXPECT_LT(held, whole);
}

}  // namespace
}  // namespace oneagent
