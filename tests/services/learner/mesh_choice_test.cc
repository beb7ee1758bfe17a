// How the ranks of a learner are split when the experiment file leaves it open.
#include "services/learner/mesh_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/cli/local_sample.h"
#include "tests/services/learner/fixed_learner.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

MeshOptions parsed(const Json& value) { return parse_mesh(value, "[learner.parallel]"); }

std::string refusal(const Json& value) {
  try {
    (void)parsed(value);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MeshOptions, ATableSaysAllOrLeavesTheSplitToThePlanner) {
  EXPECT_EQ(parsed(Json::object()).size(), 1);
  EXPECT_FALSE(parsed(Json::object()).several());
  EXPECT_EQ(parsed({{"data", 2}, {"tensor", 3}}).size(), 6);
  EXPECT_EQ(parsed({{"data", 2}}).tensor, 1);
  EXPECT_EQ(parsed({{"data", 2}, {"ranks", 6}}).tensor, 3);
  EXPECT_EQ(parsed({{"pipeline", 2}}).size(), 2);
  EXPECT_TRUE(parsed({{"pipeline", 2}}).several());
  EXPECT_EQ(parsed({{"ranks", 2}, {"pipeline", 2}}).data, 1);
  EXPECT_EQ(parsed({{"ranks", 8}, {"pipeline", 2}, {"data", 2}}).tensor, 2);
  EXPECT_FALSE(parsed({{"data", 2}, {"ranks", 6}}).open());
  EXPECT_TRUE(parsed({{"ranks", 6}}).open());
  EXPECT_TRUE(parsed({{"ranks", 6}}).several());
  EXPECT_FALSE(parsed({{"ranks", 1}}).several());
  EXPECT_EQ(parsed("auto").ranks, std::min(usable_cores(), 64));
}

TEST(MeshOptions, WhatDoesNotFitIsRefusedInOneSentence) {
  EXPECT_THAT(refusal("all"), HasSubstr("expected \"auto\" or a table such as { data = 2 }"));
  EXPECT_THAT(refusal({{"ranks", 4}, {"data", 3}}),
              HasSubstr("data is 3, which does not divide ranks = 4"));
  EXPECT_THAT(refusal({{"ranks", 4}, {"tensor", 3}}),
              HasSubstr("tensor is 3, which does not divide ranks = 4"));
  EXPECT_THAT(refusal({{"ranks", 4}, {"tensor", 2}, {"data", 1}}),
              HasSubstr("data 1 x tensor 2 is 2, but ranks is 4"));
  EXPECT_THAT(refusal({{"tensor", 64}, {"data", 2}}), HasSubstr("the most is 64"));
  EXPECT_THAT(refusal({{"ranks", 4}, {"pipeline", 3}}),
              HasSubstr("pipeline is 3, which does not divide ranks = 4"));
  EXPECT_THAT(refusal({{"ranks", 8}, {"pipeline", 2}, {"data", 3}}),
              HasSubstr("data is 3, which does not divide ranks = 8 / pipeline = 2"));
  EXPECT_THAT(
      refusal({{"ranks", 8}, {"pipeline", 2}}),
      HasSubstr("with pipeline = 2 the planner does not choose data and tensor; write them"));
  EXPECT_THAT(refusal({{"data", 4}, {"tensor", 4}, {"pipeline", 8}}),
              HasSubstr("data 4 x tensor 4 x pipeline 8 is 128 ranks; the most is 64"));
  EXPECT_THAT(refusal({{"pipeline", 2}, {"schedule", "2f2b"}}), HasSubstr("1f1b"));
  EXPECT_THAT(refusal({{"pipeline", 2}, {"schedule", "interleaved"}, {"micro_batches", 5}}),
              HasSubstr("micro_batches in multiples of pipeline = 2, was 5"));
}

TEST(MeshOptions, OnlyRanksThatTakeTurnsAreWarnedOf) {
  MeshOptions many = parsed({{"data", 64}});
  EXPECT_THAT(too_many_ranks(many), HasSubstr("64 ranks on"));
  many.kind = "services";
  EXPECT_EQ(too_many_ranks(many), "");
  EXPECT_EQ(too_many_ranks(parsed(Json::object())), "");
}

Experiment experiment(const Json& algorithm, const Json& mesh) {
  Json json = {{"run", {{"name", "choice"}}},
               {"env", {{"name", "cartpole"}, {"count", 8}}},
               {"algorithm", algorithm},
               {"learner", {{"parallel", mesh}}}};
  json["algorithm"]["name"] = "ppo";
  return read_experiment(Config::from_json(json, "choice.toml"), LocalRing::registry());
}

// Wide layers on few rows: gradients of whole parameters are far more than activations. Many rows
// through narrow layers: the other way round.
TEST(MeshChoice, FollowsWhatHasToBeMoved) {
  Experiment wide = experiment(
      {{"steps", 16}, {"minibatch", 16}, {"epochs", 1}, {"hidden", {768, 768}}}, {{"ranks", 2}});
  EXPECT_THAT(settle_mesh(wide, LocalRing::registry()), HasSubstr("2 ranks: data=1 tensor=2"));
  EXPECT_EQ(wide.learner_mesh.tensor, 2);
  Experiment tall = experiment(
      {{"steps", 2048}, {"minibatch", 16384}, {"epochs", 1}, {"hidden", {16, 16}}}, {{"ranks", 2}});
  EXPECT_THAT(settle_mesh(tall, LocalRing::registry()), HasSubstr("2 ranks: data=2 tensor=1"));
  EXPECT_EQ(tall.learner_mesh.data, 2);
}

// 4 units on 32 rows are quicker alone than with anybody.
TEST(MeshChoice, AutoTakesFewerRanksWhereTheyAreFaster) {
  const auto chosen = [](const Json& algorithm) {
    Experiment e = experiment(algorithm, {{"ranks", 2}});
    e.learner_mesh.or_fewer = true;
    const std::string text = settle_mesh(e, LocalRing::registry());
    EXPECT_EQ(e.learner_mesh.size(), e.learner_mesh.ranks);
    return text;
  };
  EXPECT_THAT(chosen({{"steps", 16}, {"minibatch", 32}, {"epochs", 1}, {"hidden", {4, 4}}}),
              HasSubstr("1 rank: data=1 tensor=1"));
  // How many are best here is a matter of the machine and its load.
  EXPECT_THAT(chosen({{"steps", 64}, {"minibatch", 512}, {"epochs", 1}, {"hidden", {512, 512}}}),
              HasSubstr("others: "));
}

TEST(MeshChoice, LeavesWhatIsGivenAndWhatDoesNotFit) {
  Experiment given = experiment({{"steps", 16}, {"minibatch", 32}}, {{"data", 2}});
  EXPECT_EQ(settle_mesh(given, LocalRing::registry()), "");
  EXPECT_EQ(given.learner_mesh.data, 2);
  Experiment few = experiment({{"steps", 4}, {"minibatch", 2}, {"epochs", 1}}, {{"ranks", 4}});
  EXPECT_THAT(settle_mesh(few, LocalRing::registry()), HasSubstr("4 ranks: data="));
  EXPECT_LE(few.learner_mesh.data, 2) << "there are two rows";
  EXPECT_EQ(few.learner_mesh.size(), 4);
}

}  // namespace
}  // namespace oneagent
