// The control environments against trajectories of Gymnasium's own classes
// (tests/golden/envs/make_trajectories.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "envs/env_batch.h"
#include "tests/support/env_lane_state.h"

namespace oneagent {
namespace {

struct GoldenStep {
  double action = 0, reward = 0;
  bool terminated = false;
  std::vector<double> state;
};

struct GoldenRun {
  std::vector<double> start;
  std::vector<GoldenStep> steps;
};

std::vector<double> numbers(std::istream& in) {
  std::vector<double> values;
  for (double value; in >> value;) values.push_back(value);
  return values;
}

GoldenRun read_golden(const std::string& file) {
  std::ifstream in(std::string(OA_GOLDEN "/envs/") + file);
  GoldenRun run;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (line.starts_with("#")) continue;
    if (line.starts_with("start")) {
      std::string word;
      words >> word;
      run.start = numbers(words);
      continue;
    }
    GoldenStep step;
    words >> step.action >> step.reward >> step.terminated;
    step.state = numbers(words);
    run.steps.push_back(step);
  }
  return run;
}

void expect_near_relative(double was, double expected, const std::string& where) {
  EXPECT_LE(std::abs(was - expected), 1e-12 * std::max(1.0, std::abs(expected)))
      << where << ": " << was << " against " << expected;
}

void replay(const std::string& name, const std::string& file, size_t least_steps) {
  const GoldenRun run = read_golden(file);
  ASSERT_GE(run.steps.size(), least_steps) << file;
  EnvTable table;
  register_all(table);
  // A longer limit than Gymnasium's, so that the state after the last step is still that of the
  // episode.
  EnvBatch batch(table, name, Json{{"start", run.start}, {"max_steps", 1000}}, 1, 1);
  batch.reset();
  for (size_t k = 0; k < run.steps.size(); ++k) {
    const GoldenStep& golden = run.steps[k];
    const std::string where = file + " step " + std::to_string(k + 1);
    if (batch.spec().action.discrete()) {
      batch.step(std::array{static_cast<int32_t>(golden.action)});
    } else {
      batch.step(std::array{static_cast<float>(golden.action)});
    }
    ASSERT_EQ(batch.terminated()[0] != 0, golden.terminated) << where;
    ASSERT_FLOAT_EQ(batch.reward()[0], static_cast<float>(golden.reward)) << where;
    if (golden.terminated) break;
    const std::vector<double> state = testing::lane_state(batch, golden.state.size());
    for (size_t i = 0; i < state.size(); ++i)
      expect_near_relative(state[i], golden.state[i], where);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(Gymnasium, CartpoleFollowsItsTrajectories) {
  replay("cartpole", "cartpole_right.txt", 9);
  replay("cartpole", "cartpole_balance.txt", 500);
}
TEST(Gymnasium, MountainCarFollowsItsTrajectoriesUpTheHillAndIntoTheWall) {
  replay("mountain_car", "mountain_car_rock.txt", 100);
  replay("mountain_car", "mountain_car_wall.txt", 200);
}
TEST(Gymnasium, PendulumFollowsItsTrajectoriesWithClippedTorqueAndClippedSpeed) {
  replay("pendulum", "pendulum_random.txt", 200);
  replay("pendulum", "pendulum_spin.txt", 200);
}
TEST(Gymnasium, AcrobotFollowsItsTrajectoriesToTheLine) {
  replay("acrobot", "acrobot_random.txt", 100);
  replay("acrobot", "acrobot_pump.txt", 60);
}

TEST(Gymnasium, LimitsAndActionsAreThoseOfTheRegisteredVersions) {
  EnvTable table;
  register_all(table);
  const auto limit = [&](const char* name) { return table.spec(name, Json::object()).max_steps; };
  EXPECT_EQ(limit("cartpole"), 500);
  EXPECT_EQ(limit("pendulum"), 200);
  EXPECT_EQ(limit("acrobot"), 500);
  EXPECT_EQ(limit("mountain_car"), 200);
}

// An independent derivation: rl-platforms measurements of CartPole from rest, action 1 always.
TEST(Gymnasium, CartpoleFromRestFallsAtStepNine) {
  EnvTable table;
  register_all(table);
  EnvBatch batch(table, "cartpole", Json{{"start", {0, 0, 0, 0}}}, 1, 1);
  batch.reset();
  for (int k = 1; k <= 9; ++k) {
    batch.step(std::array{1});
    ASSERT_EQ(batch.terminated()[0], k == 9) << k;
  }
  const float expected[] = {0.140650972033f, 1.760381125768f, -0.215186049885f, -2.777886494013f};
  for (int i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(batch.final_observation()[i], expected[i]);
  EXPECT_EQ(batch.ended()[0].length, 9);
  EXPECT_EQ(batch.ended()[0].episode_return, 9);
}

TEST(Gymnasium, ARandomPolicyHoldsThePoleFor22Steps) {
  EnvTable table;
  register_all(table);
  EnvBatch batch(table, "cartpole", Json::object(), 64, 5);
  batch.reset();
  Rng rng(9);
  std::vector<int32_t> actions(64);
  double steps = 0, episodes = 0;
  for (int k = 0; k < 20000; ++k) {
    for (int32_t& action : actions) action = static_cast<int32_t>(rng.below(2));
    batch.step(actions);
    for (const EpisodeEnd& end : batch.ended()) steps += end.length, ++episodes;
  }
  EXPECT_NEAR(steps / episodes, 22.27, 0.2);
}

}  // namespace
}  // namespace oneagent
