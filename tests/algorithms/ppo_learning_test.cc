// PPO with convolution layers over environments, rollouts and a trainer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/nn/state.h"
#include "core/ops/ops.h"
#include "core/optim/state.h"
#include "tests/support/local_ring.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<LocalRing> make_ring(const std::string& env, const Json& options, int lanes,
                                     const Json& env_options = Json::object()) {
  const Registry& registry = LocalRing::registry();
  return std::make_unique<LocalRing>(
      registry.algorithms.at("ppo").make(policy_spec(registry.envs.spec(env, env_options)), options,
                                         1),
      env, env_options, lanes, 1);
}

Json with(Json options, const Json& more) {
  options.update(more);
  return options;
}

const Json kCatch = {{"channels", {8}}, {"steps", 18},    {"minibatch", 144},    {"epochs", 6},
                     {"lr", 3e-3},      {"hidden", {32}}, {"entropy_coef", 0.01}};

double catch_return(const Json& options, int iterations) {
  const auto ring = make_ring("catch", options, 16);
  for (int i = 0; i < iterations; ++i) {
    if (i == iterations - 5) ring->mean_return();
    ring->iterate();
  }
  return ring->mean_return();
}

TEST(PpoWithConvolution, LearnsCatch) { EXPECT_GT(catch_return(kCatch, 80), 0.9); }

TEST(PpoWithConvolution, LearnsCatchWithASharedEncoderOfTwoLayers) {
  const Json more = {{"shared", true},    {"channels", {8, 16}},
                     {"kernels", {3, 2}}, {"activation", "relu"},
                     {"strides", {2, 1}}, {"normalize_observation", true}};
  EXPECT_GT(catch_return(with(kCatch, more), 80), 0.9);
}

TEST(PpoWithConvolution, LearnsCatchWithARecurrentCore) {
  EXPECT_GT(catch_return(with(kCatch, {{"core", "gru"}, {"core_size", 32}}), 150), 0.9);
}

const Json kGrid = {{"channels", {4, 4}}, {"image", {2, 11, 11}},          {"steps", 16},
                    {"hidden", {16}},     {"normalize_observation", true}, {"minibatch", 64}};

TEST(PpoWithConvolution, SeesTheWindowAndTheVisitsOfGridPathAsPlanes) {
  const auto ring = make_ring("grid_path", kGrid, 8);
  const auto state = state_of(ring->algorithm->model());
  EXPECT_EQ(state.at("policy_encoder.convolution.layer0.weight").shape, Shape({4, 2, 3, 3}));
  // 4 planes of 7 x 7, goal, legal and previous move.
  EXPECT_EQ(state.at("policy_encoder.layer0.weight").shape, Shape({16, 4 * 7 * 7 + 7 + 8 + 8}));
  for (int i = 0; i < 3; ++i) {
    const auto metrics = ring->iterate();
    EXPECT_TRUE(std::isfinite(metrics.at("policy_loss")));
    EXPECT_GT(metrics.at("grad_norm"), 0);
  }
}

ring::ArraySet trained(const Json& options, int threads) {
  set_num_threads(threads);
  const auto ring = make_ring("grid_path", options, 8);
  for (int i = 0; i < 3; ++i) ring->iterate();
  set_num_threads(1);
  return ring->trainer.save_tensors();
}

TEST(PpoWithConvolution, GivesTheSameBitsInEveryRunAndOnTwoThreads) {
  for (const char* core : {"none", "gru"}) {
    const Json options = with(kGrid, {{"core", core}, {"minibatch", 128}});
    const ring::ArraySet one = trained(options, 1);
    EXPECT_TRUE(ring::equal(one, trained(options, 1))) << core;
    EXPECT_TRUE(ring::equal(one, trained(options, 2))) << core;
  }
}

TEST(PpoWithConvolution, ARestoredTrainerContinuesBitForBit) {
  const auto original = make_ring("grid_path", kGrid, 4),
             restored = make_ring("grid_path", kGrid, 4);
  original->iterate();
  ByteWriter state;
  original->rollout.save(state);
  restored->trainer.load(original->trainer.save_tensors(), original->trainer.save_host());
  ByteReader in(state.bytes(), "rollout");
  restored->rollout.load(in);
  restored->version = original->version;
  original->iterate();
  restored->iterate();
  EXPECT_TRUE(ring::equal(original->trainer.save_tensors(), restored->trainer.save_tensors()));
}

std::string load_fault(const Json& saved, const Json& into) {
  const auto from = make_ring("catch", saved, 2), to = make_ring("catch", into, 2);
  const ring::ArraySet before = state_of(to->algorithm->model());
  try {
    to->trainer.load(from->trainer.save_tensors(), from->trainer.save_host());
  } catch (const Error& error) {
    EXPECT_TRUE(ring::equal(before, state_of(to->algorithm->model())));
    return error.what();
  }
  return "was accepted";
}

TEST(PpoWithConvolution, ACheckpointOfAnotherNetworkIsRefusedWithTheTensorsName) {
  EXPECT_THAT(load_fault({{"channels", {8}}}, {{"channels", {4}}}),
              AllOf(HasSubstr("policy_encoder.convolution.layer0.weight"),
                    HasSubstr("was saved as [8, 1, 3, 3]")));
  EXPECT_THAT(load_fault(Json::object(), {{"channels", {8}}}),
              HasSubstr("has no \"policy_encoder.convolution.layer0.weight\""));
  EXPECT_THAT(load_fault({{"channels", {8}}}, Json::object()), HasSubstr("policy_encoder"));
  EXPECT_THAT(load_fault({{"channels", {8}}}, {{"channels", {8}}, {"strides", {2}}}),
              HasSubstr("policy_encoder.layer0.weight"));
}

// A rollout of one lane whose rows hold one value: [T, 1, 1] must not be taken for [T, 1].
TEST(Ppo, LearnsFromOneLaneWithObservationsOfOneValue) {
  for (const char* core : {"none", "gru"}) {
    const auto algorithm = LocalRing::registry().algorithms.at("ppo").make(
        {{1}, ring::ActionSpec::choices(2), false, 1}, {{"steps", 4}, {"core", core}}, 1);
    ring::Chunk chunk;
    chunk.steps = 4;
    chunk.lanes = 1;
    const auto floats = [&](const char* name, const Shape& shape, std::vector<float> values) {
      chunk.arrays.add(ring::array_of<float>(name, shape, std::span<const float>(values)));
    };
    const auto bytes = [&](const char* name, std::vector<uint8_t> values) {
      chunk.arrays.add(ring::array_of<uint8_t>(name, {4, 1}, std::span<const uint8_t>(values)));
    };
    floats("observation", {4, 1, 1}, {1, 2, 3, 4});
    floats("reward", {4, 1}, {0, 1, 0, 1});
    bytes("terminated", {0, 0, 0, 0});
    bytes("truncated", {0, 0, 0, 0});
    bytes("first", {1, 0, 0, 0});
    const std::vector<int32_t> action = {0, 1, 0, 1};
    chunk.arrays.add(ring::array_of<int32_t>("action", {4, 1}, std::span<const int32_t>(action)));
    floats("log_prob", {4, 1}, {-0.7F, -0.7F, -0.7F, -0.7F});
    floats("value", {4, 1}, {0, 0, 0, 0});
    floats("last_observation", {1, 1}, {5});
    for (const auto& [name, value] : algorithm->initial_state(1))
      chunk.arrays.add(ring::array_of<float>("state." + name, value.sizes(),
                                             std::span<const float>(value.values<float>())));
    Trainer trainer(
        *algorithm, 1,
        [&]() -> Result<ring::SampleBatch> {
          return ring::SampleBatch{"rollout",
                                   {{1, 1, 1.0, make_items(chunk, algorithm->needs())[0], chunk}}};
        },
        [](const Learn::Sample&, const std::vector<double>&) {}, "fault");
    const auto metrics = algorithm->learn(trainer);
    ASSERT_TRUE(metrics.ok()) << metrics.status();
    EXPECT_GT(metrics->at("grad_norm"), 0) << core;
  }
}

}  // namespace
}  // namespace oneagent
