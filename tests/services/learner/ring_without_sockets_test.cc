// Environments, rollout, items, assembly and trainer together, driven by three algorithms of
// different shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/nn/state.h"
#include "core/optim/state.h"
#include "services/learner/trainer.h"
#include "tests/support/fake_alphazero.h"
#include "tests/support/fake_dqn.h"
#include "tests/support/local_ring.h"
#include "tests/support/nim.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Algorithm> make_ppo(const std::string& env, const Json& env_options,
                                    const Json& options, uint64_t seed) {
  const Registry& registry = LocalRing::registry();
  return registry.algorithms.at("ppo").make(policy_spec(registry.envs.spec(env, env_options)),
                                            options, seed);
}

const Json kSmallCatch = {{"rows", 6}, {"columns", 4}};
const Json kCatchPpo = {{"steps", 20}, {"minibatch", 160}, {"epochs", 6},
                        {"lr", 3e-3},  {"hidden", {32}},   {"entropy_coef", 0.01}};

double train_ppo(const Json& options, int iterations, uint64_t seed) {
  LocalRing ring(make_ppo("catch", kSmallCatch, options, seed), "catch", kSmallCatch, 16, seed);
  for (int i = 0; i < iterations; ++i) {
    ring.trainer.set_progress(static_cast<double>(i) / iterations);
    if (i == iterations - 5) ring.mean_return();
    ring.iterate();
  }
  return ring.mean_return();
}

TEST(RingWithoutSockets, PpoLearnsCatchFromThreeSeeds) {
  for (const uint64_t seed : {1, 2, 3})
    EXPECT_GT(train_ppo(kCatchPpo, 60, seed), 0.8) << "seed " << seed;
}

TEST(RingWithoutSockets, PpoWithARecurrentCoreLearnsCatch) {
  Json options = kCatchPpo;
  options["core_size"] = 32;
  for (const char* core : {"gru", "lstm"}) {
    options["core"] = core;
    EXPECT_GT(train_ppo(options, 80, 1), 0.8) << core;
  }
}

TEST(RingWithoutSockets, ADqnShapedAlgorithmLearnsCatchOverTheSameInterface) {
  const PolicySpec spec = policy_spec(LocalRing::registry().envs.spec("catch", kSmallCatch));
  LocalRing ring(std::make_unique<FakeDqn>(spec, 1), "catch", kSmallCatch, 8, 1);
  for (int i = 0; i < 500; ++i) {
    if (i == 450) ring.mean_return();
    ring.iterate();
  }
  EXPECT_GT(ring.mean_return(), 0.6);
}

// One game of self-play as a chunk: rewards are the outcome for the player who moved.
ring::Chunk play_nim(const Nim& game, Search& search, Rng& rng) {
  std::vector<float> observation, visits, reward;
  std::vector<int32_t> action;
  const std::unique_ptr<GameState> state = game.start();
  const auto width = static_cast<size_t>(game.spec().observation_shape[0]);
  while (!state->terminal()) {
    observation.resize(observation.size() + width);
    state->observe(state->current_player(), std::span(observation).last(width));
    const Search::Decision decision = search.decide(*state, rng);
    const auto row = decision.extras.at("visits").values<float>();
    visits.insert(visits.end(), row.begin(), row.end());
    action.push_back(rng.uniform() < 0.2F ? 0 : decision.action);
    state->apply(action.back());
  }
  const auto steps = static_cast<int64_t>(action.size());
  for (int64_t t = 0; t < steps; ++t)
    reward.push_back((steps - 1 - t) % 2 == 0 ? 1.0F : -1.0F);  // the last mover wins
  ring::Chunk chunk;
  chunk.steps = steps;
  chunk.lanes = 1;
  std::vector<uint8_t> none(action.size(), 0), last(action.size(), 0), first(action.size(), 0);
  last.back() = first.front() = 1;
  const std::vector<float> end(width, 0);
  chunk.arrays.add(
      ring::array_of<float>("observation", {steps, 1, static_cast<int64_t>(width)}, observation));
  chunk.arrays.add(ring::array_of<int32_t>("action", {steps, 1}, action));
  chunk.arrays.add(ring::array_of<float>("reward", {steps, 1}, reward));
  chunk.arrays.add(ring::array_of<uint8_t>("terminated", {steps, 1}, last));
  chunk.arrays.add(ring::array_of<uint8_t>("truncated", {steps, 1}, none));
  chunk.arrays.add(ring::array_of<uint8_t>("first", {steps, 1}, first));
  chunk.arrays.add(ring::array_of<float>("extra.visits", {steps, 1, 3}, visits));
  chunk.arrays.add(
      ring::array_of<float>("last_observation", {1, static_cast<int64_t>(width)}, end));
  return chunk;
}

TEST(RingWithoutSockets, AnAlphaZeroShapedAlgorithmLearnsNimOverTheSameInterface) {
  const Nim game(10);
  FakeAlphaZero algorithm({game.spec().observation_shape, ring::ActionSpec::choices(3), true}, 1);
  std::deque<ring::SampledItem> items;
  Rng rng(1);
  Trainer trainer(
      algorithm, 1,
      [&]() -> Result<ring::SampleBatch> {
        ring::SampleBatch batch{"positions", {}};
        for (int i = 0; i < 64; ++i)
          batch.items.push_back(items[rng.below(static_cast<uint32_t>(items.size()))]);
        return batch;
      },
      [](const Learn::Sample&, const std::vector<double>&) {}, "fault");
  const std::unique_ptr<Search> search = algorithm.make_search(1);
  for (int i = 0; i < 300; ++i) {
    const ring::Chunk chunk = play_nim(game, *search, rng);
    ASSERT_EQ(ring::ingest_fault(chunk), "");
    for (const ring::ItemSpec& item : make_items(chunk, algorithm.needs()))
      items.push_back({0, 0, 1.0, item, chunk});
    while (items.size() > 2000) items.pop_front();
    if (i < 20) continue;
    ASSERT_TRUE(algorithm.learn(trainer).ok());
  }
  // The network alone, without search, leaves a multiple of 4 wherever it can.
  Generator generator(1);
  for (int stones = 1; stones <= 10; ++stones) {
    if (stones % 4 == 0) continue;
    ActIn in;
    in.observation = zeros({1, 11});
    in.observation.data_ptr<float>()[stones] = 1;
    EXPECT_EQ(algorithm.act(in, ActMode::kGreedy, generator).action.item<int>(), stones % 4 - 1)
        << stones << " stones";
  }
}

// The same state and data give the same weights; a trainer restored from its arrays and JSON goes
// on bit for bit.
TEST(RingWithoutSockets, ARestoredTrainerAndRolloutContinueBitForBit) {
  const auto make = [] {
    return std::make_unique<LocalRing>(
        make_ppo("cartpole", Json::object(),
                 {{"steps", 16}, {"minibatch", 32}, {"normalize_observation", true}}, 5),
        "cartpole", Json::object(), 4, 5);
  };
  const auto original = make();
  for (int i = 0; i < 3; ++i) original->iterate();
  const ring::ArraySet tensors = original->trainer.save_tensors();
  const Json host = original->trainer.save_host();
  ByteWriter state;
  original->rollout.save(state);
  for (int i = 0; i < 3; ++i) original->iterate();

  const auto restored = make();
  restored->trainer.load(tensors, host);
  ByteReader in(state.bytes(), "rollout");
  restored->rollout.load(in);
  restored->version = 3;
  for (int i = 0; i < 3; ++i) restored->iterate();
  EXPECT_TRUE(
      ring::equal(state_of(original->algorithm->model()), state_of(restored->algorithm->model())));
  EXPECT_TRUE(ring::equal(original->trainer.save_tensors(), restored->trainer.save_tensors()));
}

// Every kind of network and action: the same numbers as plans and op by op.
TEST(RingWithoutSockets, GraphsAndOpsTrainEqualWeights) {
  struct Case {
    const char* env;
    Json env_options, options;
  };
  const Json recurrent = {{"steps", 20}, {"minibatch", 80}, {"core", "gru"}, {"core_size", 8}};
  const Json image = {{"steps", 16}, {"minibatch", 48}, {"channels", {4}}};
  const Json lstm = {{"steps", 20}, {"minibatch", 80}, {"core", "lstm"}, {"core_size", 8}};
  const Json residual = {{"steps", 16}, {"minibatch", 48}, {"channels", {4}}, {"residual", true}};
  const Json clipped = {{"steps", 16}, {"minibatch", 24}, {"value_clip", 0.2}, {"shared", true}};
  for (const Case& c : {Case{"cartpole", Json::object(), clipped},
                        Case{"pendulum", Json::object(), {{"steps", 16}, {"minibatch", 40}}},
                        Case{"catch", kSmallCatch, recurrent}, Case{"catch", kSmallCatch, image},
                        Case{"catch", kSmallCatch, residual}, Case{"catch", kSmallCatch, lstm}}) {
    std::vector<ring::ArraySet> trained;
    for (const bool graphs : {true, false}) {
      LocalRing ring(make_ppo(c.env, c.env_options, c.options, 3), c.env, c.env_options, 4, 3,
                     graphs);
      for (int i = 0; i < 4; ++i) ring.iterate();
      EXPECT_EQ(ring.trainer.graph_phases(),
                graphs ? std::vector<std::string>{"update"} : std::vector<std::string>{});
      trained.push_back(ring.trainer.save_tensors());
    }
    EXPECT_TRUE(ring::equal(trained[0], trained[1])) << c.env << " " << c.options.dump();
  }
}

TEST(RingWithoutSockets, ACheckpointOfAnotherNetworkIsRefusedWithTheTensorsName) {
  LocalRing small(make_ppo("cartpole", Json::object(), {{"hidden", {16}}}, 1), "cartpole",
                  Json::object(), 4, 1);
  LocalRing large(make_ppo("cartpole", Json::object(), {{"hidden", {32}}}, 1), "cartpole",
                  Json::object(), 4, 1);
  try {
    large.trainer.load(small.trainer.save_tensors(), small.trainer.save_host());
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("policy_encoder.layer0"));
    EXPECT_THAT(error.what(), HasSubstr("was saved as [16, 4]"));
  }
}

TEST(RingWithoutSockets, ANaNInTheLossStopsWithThePhaseNamedAndTheBatchKept) {
  const fs::path folder = fs::temp_directory_path() / str("oa-fault-", getpid());
  const auto algorithm = make_ppo("cartpole", Json::object(), {{"steps", 8}}, 1);
  EnvBatch envs(LocalRing::registry().envs, "cartpole", Json::object(), 4, 1);
  Rollout rollout(envs, *algorithm, 1);
  ring::Chunk chunk = rollout.collect(0);
  const_cast<float*>(chunk.arrays.at("reward").as<float>().data())[3] = std::nanf("");
  Trainer trainer(
      *algorithm, 1,
      [&]() -> Result<ring::SampleBatch> {
        return ring::SampleBatch{"rollout",
                                 {{1, 1, 1.0, make_items(chunk, algorithm->needs())[0], chunk}}};
      },
      [](const Learn::Sample&, const std::vector<double>&) {}, folder);
  const ring::ArraySet before = state_of(algorithm->model());
  try {
    (void)algorithm->learn(trainer);
    FAIL() << "a NaN went unnoticed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("update"));
    EXPECT_THAT(error.what(), HasSubstr("batch.safetensors"));
  }
  EXPECT_TRUE(fs::exists(folder / "batch.safetensors"));
  EXPECT_TRUE(ring::equal(before, state_of(algorithm->model())))
      << "the last good weights must stand";
  fs::remove_all(folder);
}

// A critic that learns the value of an endless task: reward 1 a step, gamma 0.98, so V = 50 only if
// a time limit bootstraps from the final observation.
TEST(RingWithoutSockets, TruncationBootstrapsFromTheFinalObservation) {
  LocalRing ring(make_ppo("mountain_car", Json::object(),
                          {{"steps", 50},
                           {"gamma", 0.9},
                           {"lr", 3e-3},
                           {"minibatch", 400},
                           {"epochs", 10},
                           {"hidden", {32}}},
                          1),
                 "mountain_car", Json::object(), 8, 1);
  for (int i = 0; i < 40; ++i) ring.iterate();
  // Reward is -1 a step and episodes end by the limit only: V = -1 / (1 - 0.9) = -10. Taken as
  // terminations the limit would pull it towards 0.
  const ring::Chunk chunk = ring.rollout.collect(0);
  double sum = 0;
  const auto values = chunk.arrays.at("value").as<float>();
  for (const float value : values) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(values.size()), -10, 0.5);
}

}  // namespace
}  // namespace oneagent
