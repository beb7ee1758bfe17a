// Every registered algorithm, with each kind of network that it offers, trains to the same bits
// eagerly and as graphs, acting included. A new algorithm adds its cases here.
#include <gtest/gtest.h>

#include <set>

#include "core/base/text.h"
#include "tests/support/local_ring.h"

namespace oneagent {
namespace {

struct Case {
  const char* name;
  const char* algorithm;
  const char* env;
  Json options;
};

Json ppo(const Json& more) {
  Json options = {{"steps", 8}, {"minibatch", 32}, {"epochs", 2}, {"hidden", {16}}};
  options.update(more);
  return options;
}

std::vector<Case> cases() {
  return {
      {"ppo_mlp", "ppo", "cartpole", ppo({{"target_kl", 0.5}, {"value_clip", 0.2}})},
      {"ppo_shared", "ppo", "cartpole", ppo({{"shared", true}, {"normalize_observation", true}})},
      {"ppo_continuous", "ppo", "pendulum", ppo({{"entropy_coef", 0.01}})},
      {"ppo_mask", "ppo", "grid_path", ppo({{"lr_schedule", "linear"}})},
      {"ppo_convolution", "ppo", "catch", ppo({{"channels", {4, 8}}})},
      {"ppo_residual", "ppo", "catch", ppo({{"channels", {4}}, {"residual", true}})},
      {"ppo_gru", "ppo", "catch", ppo({{"core", "gru"}, {"core_size", 8}})},
      {"ppo_lstm", "ppo", "pendulum", ppo({{"core", "lstm"}, {"core_size", 8}})},
      {"ppo_entities", "ppo", "catch", ppo({{"entities", {10, 5}}, {"attention_size", 8}})},
      {"ppo_entity_slots", "ppo", "cartpole",
       ppo({{"entities", {4, 1}}, {"entity_slots", true}, {"attention_size", 8}, {"core", "gru"}})},
  };
}

ring::ArraySet trained(const Case& test, bool graphs, size_t* phases) {
  const Registry& registry = LocalRing::registry();
  const Json none = Json::object();
  LocalRing ring(registry.algorithms.at(test.algorithm)
                     .make(policy_spec(registry.envs.spec(test.env, none)), test.options, 1),
                 test.env, none, 8, 1, graphs);
  for (int i = 0; i < 4; ++i) ring.iterate();
  *phases = ring.trainer.graph_phases().size();
  return ring.trainer.save_tensors();
}

class GraphSuite : public testing::TestWithParam<Case> {};

TEST_P(GraphSuite, EagerAndGraphGiveTheSameBits) {
  size_t eager_phases = 0, graph_phases = 0;
  const ring::ArraySet eager = trained(GetParam(), false, &eager_phases);
  const ring::ArraySet graph = trained(GetParam(), true, &graph_phases);
  EXPECT_EQ(eager_phases, 0u);
  EXPECT_GT(graph_phases, 0u) << "no phase ran as a plan";
  EXPECT_TRUE(ring::equal(eager, graph));
}

INSTANTIATE_TEST_SUITE_P(All, GraphSuite, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(GraphSuite, HoldsEveryRegisteredAlgorithm) {
  std::set<std::string> held;
  for (const Case& test : cases()) held.insert(test.algorithm);
  for (const AlgorithmEntry& entry : LocalRing::registry().algorithms.entries())
    EXPECT_TRUE(held.contains(entry.name)) << entry.name << " has no case in graph_suite_test.cc";
}

}  // namespace
}  // namespace oneagent
