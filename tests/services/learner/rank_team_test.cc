// A learner of several ranks: the same training as on one.
#include "services/learner/rank_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/arrays.h"
#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"
#include "tests/services/learner/fixed_learner.h"

namespace oneagent {
namespace {

using Learner = FixedLearner;

void expect_close(const ring::ArraySet& actual, const ring::ArraySet& expected,
                  const std::string& where) {
  ASSERT_EQ(actual.arrays().size(), expected.arrays().size()) << where;
  for (const ring::Array& array : expected.arrays()) {
    const Tensor a = io::tensor_over(actual.at(array.name)), b = io::tensor_over(array);
    ASSERT_EQ(a.sizes(), b.sizes()) << where << " " << array.name;
    EXPECT_TRUE(allclose(a.to(kFloat64), b.to(kFloat64), 1e-3, 2e-5))
        << where << " " << array.name << " differs by "
        << (a.to(kFloat64) - b.to(kFloat64)).abs().max();
  }
}

struct Case {
  const char* name;
  const char* env;
  Json options;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class RankTeams : public ::testing::TestWithParam<Case> {};

TEST_P(RankTeams, TrainLikeOneRank) {
  const Case& c = GetParam();
  const auto chunks = collect(c.env, c.options, 3);
  Learner one(c.env, c.options, chunks);
  one.train(3);
  const ring::ArraySet expected = one.trainer.save_tensors();
  for (const MeshOptions& options : {MeshOptions{2, 1}, MeshOptions{1, 2}, MeshOptions{2, 2}}) {
    const std::string where = str("data=", options.data, " tensor=", options.tensor);
    Learner learner(c.env, c.options, chunks);
    RankTeam team(options, learner.trainer,
                  {[&] { return make_ppo(c.env, c.options); }, 7, "fault", true});
    learner.train(3);
    EXPECT_EQ(learner.trainer.graph_phases(), std::vector<std::string>{"update"}) << where;
    expect_close(learner.trainer.save_tensors(), expected, where);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ppo, RankTeams,
    ::testing::Values(Case{"cartpole", "cartpole", {{"steps", 16}, {"minibatch", 32}}},
                      Case{"normalized",
                           "cartpole",
                           {{"steps", 16}, {"minibatch", 64}, {"normalize_observation", true}}},
                      Case{"pendulum", "pendulum", {{"steps", 16}, {"minibatch", 40}}}),
    [](const auto& info) { return std::string(info.param.name); });

// Every rank holds its part of what is split.
TEST(RankTeams, ParametersAndOptimizersAreShared) {
  const Json options = {{"steps", 16}, {"minibatch", 32}};
  const auto chunks = collect("cartpole", options, 1);
  Learner learner("cartpole", options, chunks);
  RankTeam team({1, 2}, learner.trainer,
                {[&] { return make_ppo("cartpole", options); }, 7, "fault", true});
  learner.train(1);
  int64_t whole = 0, held = 0;
  for (const Tensor& parameter : learner.algorithm->model().parameters()) {
    whole += parameter.numel();
    held += local_part(parameter).numel();
  }
  EXPECT_LT(held, whole * 0.6) << "of " << whole;
}

// What is saved on one mesh goes on on another, and on one rank.
TEST(RankTeams, ACheckpointGoesOnOnOtherMeshes) {
  const Json options = {{"steps", 16}, {"minibatch", 32}};
  const auto chunks = collect("cartpole", options, 4);
  ring::ArraySet saved;
  Json host;
  {
    Learner learner("cartpole", options, chunks);
    RankTeam team({2, 2}, learner.trainer,
                  {[&] { return make_ppo("cartpole", options); }, 7, "fault", true});
    learner.train(2);
    saved = learner.trainer.save_tensors();
    host = learner.trainer.save_host();
  }
  Learner one("cartpole", options, chunks);
  one.trainer.load(saved, host);
  one.next = 2;
  one.train(2);
  const ring::ArraySet expected = one.trainer.save_tensors();
  for (const MeshOptions& mesh : {MeshOptions{3, 1}, MeshOptions{1, 2}}) {
    Learner learner("cartpole", options, chunks);
    RankTeam team(mesh, learner.trainer,
                  {[&] { return make_ppo("cartpole", options); }, 7, "fault", true});
    learner.trainer.load(saved, host);
    learner.next = 2;
    learner.train(2);
    expect_close(learner.trainer.save_tensors(), expected, str("data=", mesh.data));
  }
}

TEST(RankTeams, AFaultOfTheFirstRankEndsAll) {
  const Json options = {{"steps", 16}, {"minibatch", 32}};
  auto chunks = collect("cartpole", options, 1);
  const_cast<float*>(chunks[0].arrays.at("reward").as<float>().data())[3] = std::nanf("");
  Learner learner("cartpole", options, chunks);
  RankTeam team({2, 1}, learner.trainer,
                {[&] { return make_ppo("cartpole", options); }, 7, "fault", true});
  EXPECT_THROW((void)learner.algorithm->learn(learner.trainer), Error);
  fs::remove_all("fault");
}

// Where neighbours of a pipeline talk to each other alone, all hear who failed.
TEST(RankTeams, ARankThatFailsIsNamedToAll) {
  const Json options = {{"steps", 16}, {"minibatch", 32}};
  const auto chunks = collect("cartpole", options, 1);
  for (const char* place : {"send", "receive", "join"}) {
    Learner learner("cartpole", options, chunks);
    RankTeam team(MeshOptions{1, 1, 3}, learner.trainer,
                  {[&] { return make_ppo("cartpole", options); }, 7, "fault", true},
                  [&](int rank, std::string_view point) {
                    if (rank == 1 && point == place) throw Error("out of paper");
                  });
    try {
      (void)learner.algorithm->learn(learner.trainer);
      FAIL() << place;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("rank 1 failed")) << place;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("out of paper")) << place;
      team.abort(error.what());
    }
  }
}

}  // namespace
}  // namespace oneagent
