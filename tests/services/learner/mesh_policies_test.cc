// Every kind of policy network on a mesh of two by two ranks, and on a pipeline of two, trains to
// the float64 weights of one rank.
#include <gtest/gtest.h>

#include "core/io/arrays.h"
#include "core/ops/ops.h"
#include "services/learner/rank_team.h"
#include "tests/services/learner/fixed_learner.h"

namespace oneagent {
namespace {

struct Policy {
  const char* name;
  const char* env;
  Json options;
};

class MeshPolicies : public testing::TestWithParam<Policy> {};

TEST_P(MeshPolicies, EqualOneRank) {
  Json options = {{"steps", 8}, {"minibatch", 16}, {"epochs", 2}, {"hidden", {16}}};
  options.update({{"dtype", "float64"}, {"entropy_coef", 0.01}});
  options.update(GetParam().options);
  const char* env = GetParam().env;
  const auto chunks = collect(env, options, 3);
  FixedLearner one(env, options, chunks);
  one.train(6);
  const ring::ArraySet expected = one.trainer.save_tensors();
  for (const MeshOptions& mesh : {MeshOptions{2, 2}, MeshOptions{1, 1, 2}}) {
    FixedLearner several(env, options, chunks);
    RankTeam team(mesh, several.trainer,
                  RankProgram{[&] { return make_ppo(env, options); }, 1, "fault"});
    several.train(6);
    const ring::ArraySet actual = several.trainer.save_tensors();
    ASSERT_EQ(actual.arrays().size(), expected.arrays().size());
    for (const ring::Array& array : expected.arrays()) {
      const Tensor a = io::tensor_over(actual.at(array.name)).to(kFloat64),
                   b = io::tensor_over(array).to(kFloat64);
      EXPECT_TRUE(allclose(a, b, 1e-9, 1e-13)) << array.name << ", pipeline " << mesh.pipeline
                                               << ": " << (a - b).abs().max().item<double>();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, MeshPolicies,
    testing::Values(Policy{"convolution", "catch", {{"channels", {4, 8}}}},
                    Policy{"residual", "catch", {{"channels", {4}}, {"residual", true}}},
                    Policy{"gru", "cartpole", {{"core", "gru"}, {"core_size", 8}}},
                    Policy{"lstm", "pendulum", {{"core", "lstm"}, {"core_size", 8}}},
                    Policy{"entities",
                           "catch",
                           {{"entities", {10, 5}}, {"attention_size", 8}, {"attention_heads", 2}}},
                    Policy{"entity_slots",
                           "cartpole",
                           {{"entities", {4, 1}},
                            {"entity_slots", true},
                            {"attention_size", 8},
                            {"attention_layers", 1}}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace oneagent
