// What PPO does before anything is learned: shapes, masks, recurrent state, needs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "algorithms/algorithm.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

std::unique_ptr<Algorithm> make_ppo(const PolicySpec& spec, const Json& options = Json::object()) {
  AlgorithmTable table;
  register_all(table);
  return table.at("ppo").make(spec, options, 1);
}

PolicySpec discrete_spec(int64_t choices) {
  return {{4}, ring::ActionSpec::choices(choices), false, 1};
}

ActIn observe(int64_t lanes) {
  Generator generator(7);
  ActIn in;
  in.observation = randn({lanes, 4}, generator);
  in.first = zeros({lanes}, kBool);
  return in;
}

TEST(Ppo, DiscreteActionsComeWithTheirLogProbabilityAndValue) {
  const auto ppo = make_ppo(discrete_spec(3));
  Generator generator(1);
  const ActOut out = ppo->act(observe(5), ActMode::kSample, generator);
  EXPECT_EQ(out.action.dtype(), kInt32);
  EXPECT_EQ(out.action.sizes(), Shape({5}));
  EXPECT_EQ(out.extras.at("log_prob").sizes(), Shape({5}));
  EXPECT_EQ(out.extras.at("value").sizes(), Shape({5}));
  // The policy head starts near zero, so that all actions are about equally likely.
  for (int i = 0; i < 5; ++i)
    EXPECT_NEAR(out.extras.at("log_prob")[i].item<double>(), std::log(1.0 / 3), 0.05);
}

TEST(Ppo, AMaskedActionIsNeverChosen) {
  PolicySpec spec = discrete_spec(4);
  spec.has_action_mask = true;
  const auto ppo = make_ppo(spec);
  Generator generator(1);
  ActIn in = observe(64);
  in.action_mask = zeros({64, 4}, kBool);
  in.action_mask.select(1, 2).fill_(true);
  for (int draw = 0; draw < 20; ++draw) {
    const ActOut out = ppo->act(in, ActMode::kSample, generator);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(out.action[i].item<int>(), 2);
  }
}

TEST(Ppo, ContinuousActionsAreDrawnAroundTheMean) {
  const PolicySpec spec = {{4}, ring::ActionSpec::box({-2, -2}, {2, 2}), false, 1};
  const auto ppo = make_ppo(spec);
  Generator generator(1);
  const ActIn in = observe(3);
  const ActOut greedy = ppo->act(in, ActMode::kGreedy, generator);
  EXPECT_EQ(greedy.action.sizes(), Shape({3, 2}));
  std::set<float> drawn;
  for (int i = 0; i < 10; ++i)
    drawn.insert(ppo->act(in, ActMode::kSample, generator).action[0][0].item<float>());
  EXPECT_EQ(drawn.size(), 10u);
}

TEST(Ppo, ARecurrentPolicyForgetsItsStateWhereAnEpisodeStarts) {
  const auto ppo = make_ppo(discrete_spec(2), {{"core", "gru"}, {"core_size", 8}});
  Generator generator(1);
  ActIn in = observe(2);
  in.state = ppo->initial_state(2);
  const ActOut fresh = ppo->act(in, ActMode::kGreedy, generator);
  ASSERT_EQ(fresh.state.at("core").sizes(), Shape({2, 8}));
  in.state = fresh.state;
  in.first = tensor({1, 0}, kBool);
  const ActOut next = ppo->act(in, ActMode::kGreedy, generator);
  const auto row = [](const ActOut& out, int lane) {
    return to_vector<float>(out.state.at("core")[lane]);
  };
  EXPECT_EQ(row(next, 0), row(fresh, 0));
  EXPECT_NE(row(next, 1), row(fresh, 1));
}

TEST(Ppo, OneChunkOfEachActorMakesAnUpdateUnlessToldOtherwise) {
  PolicySpec spec = discrete_spec(2);
  spec.actors = 3;
  EXPECT_EQ(make_ppo(spec)->needs().items_per_sample, 3);
  EXPECT_EQ(make_ppo(spec, {{"chunks", 6}})->needs().items_per_sample, 6);
}

TEST(Ppo, ALayerWithoutUnitsIsRefusedByName) {
  for (const int width : {0, -3}) {
    try {
      make_ppo(discrete_spec(2), {{"hidden", {8, width}}});
      FAIL() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                str("[algorithm] hidden[1]: must be at least 1, was ", width));
    }
  }
}

TEST(Ppo, AnUnknownOptionNamesTheNearestOne) {
  EXPECT_THROW(make_ppo(discrete_spec(2), {{"epoch", 3}}), Error);
}

// Networks and optimizer compute in float64; what goes to environments and into chunks stays as it
// is, recurrent or not, discrete or not.
TEST(Ppo, InFloat64OnlyTheNetworksAreWider) {
  for (const bool discrete : {true, false})
    for (const char* core : {"none", "gru", "lstm"}) {
      const PolicySpec spec =
          discrete ? discrete_spec(3)
                   : PolicySpec{{4}, ring::ActionSpec::box({-2, -2}, {2, 2}), false, 1};
      const auto ppo =
          make_ppo(spec, {{"dtype", "float64"}, {"core", core}, {"normalize_observation", true}});
      for (const Tensor& parameter : ppo->model().parameters())
        EXPECT_EQ(parameter.dtype(), kFloat64) << core;
      Generator generator(1);
      ActIn in = observe(5);
      in.state = ppo->initial_state(5);
      const ActOut out = ppo->act(in, ActMode::kSample, generator);
      EXPECT_EQ(out.action.dtype(), discrete ? kInt32 : kFloat32) << core;
      for (const auto& [name, extra] : out.extras) EXPECT_EQ(extra.dtype(), kFloat32) << name;
      for (const auto& [name, state] : out.state) EXPECT_EQ(state.dtype(), kFloat32) << name;
    }
}

}  // namespace
}  // namespace oneagent
