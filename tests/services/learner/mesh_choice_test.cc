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

// The pipeline is chosen where nothing else is said of the split, its schedule where none is given.
TEST(MeshOptions, WhatIsLeftOutIsOpen) {
  EXPECT_TRUE(parsed("auto").open_pipeline);
  EXPECT_TRUE(parsed("auto").open_schedule);
  EXPECT_TRUE(parsed({{"ranks", 8}}).open_pipeline);
  EXPECT_FALSE(parsed({{"ranks", 8}, {"data", 2}}).open_pipeline);
  EXPECT_FALSE(parsed({{"ranks", 8}, {"pipeline", 1}}).open_pipeline);
  EXPECT_TRUE(parsed({{"ranks", 8}, {"pipeline", 2}}).open());
  EXPECT_TRUE(parsed({{"ranks", 8}, {"pipeline", 2}}).open_schedule);
  EXPECT_FALSE(parsed({{"ranks", 8}, {"pipeline", 2}, {"schedule", "gpipe"}}).open_schedule);
  EXPECT_FALSE(parsed({{"pipeline", 2}}).open_schedule);
  EXPECT_EQ(parsed({{"pipeline", 2}}).schedule, "1f1b");
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

MeshChoice chosen_with(const MeshRates& rates, const Json& algorithm, const MeshOptions& mesh) {
  const Experiment e = experiment(algorithm, {{"ranks", 2}});
  const ring::SampleBatch batch = local_sample(e, LocalRing::registry());
  const std::unique_ptr<Algorithm> made = make_algorithm(e, LocalRing::registry());
  Trainer trainer(
      *made, 1, [&]() -> Result<ring::SampleBatch> { return batch; },
      [](const Learn::Sample&, const std::vector<double>&) {}, fs::temp_directory_path());
  PhaseWatch watch(trainer);
  EXPECT_TRUE(made->learn(watch).ok());
  return choose_mesh(mesh, *made, watch.uses(), 64, &rates);
}

// On links that answer late, layers that each take little are best cut into stages: data ranks send
// every gradient, tensor ranks every activation.
TEST(MeshChoice, DeepNarrowPoliciesArePipelined) {
  const Json deep = {
      {"steps", 32}, {"minibatch", 256}, {"epochs", 1}, {"hidden", std::vector<int>(16, 32)}};
  MeshRates late;
  late.link = {1e-3, 1e-8};
  late.flops_per_second = late.bytes_per_second = 1e8;
  for (const int ranks : {2, 4}) {
    const MeshChoice choice = chosen_with(late, deep, parsed({{"ranks", ranks}}));
    EXPECT_EQ(choice.candidates[0].pipeline, ranks) << choice.text;
    EXPECT_GT(choice.candidates[0].micro_batches, 1);
    EXPECT_THAT(choice.text, HasSubstr(str(ranks, " ranks: data=1 tensor=1 pipeline=", ranks)));
    EXPECT_THAT(choice.text, HasSubstr("others: data="));
    EXPECT_THAT(choice.text, HasSubstr("pipeline link: alpha 1000.0 us"));
  }
  // With the pipeline given, the planner finds what a stage is shared out by.
  const MeshChoice given = chosen_with(late, deep, parsed({{"ranks", 4}, {"pipeline", 2}}));
  for (const MeshChoice::Candidate& each : given.candidates) EXPECT_EQ(each.pipeline, 2);
  EXPECT_EQ(given.candidates.size(), 2u) << given.text;
}

TEST(MeshChoice, OtherPoliciesAreNot) {
  MeshRates quick;
  quick.link = {1e-6, 1e-10};
  quick.flops_per_second = quick.bytes_per_second = 1e9;
  const MeshChoice tall =
      chosen_with(quick, {{"steps", 256}, {"minibatch", 2048}, {"epochs", 1}, {"hidden", {64, 64}}},
                  parsed({{"ranks", 4}}));
  EXPECT_EQ(tall.candidates[0].data, 4) << tall.text;
  MeshOptions fewer = parsed({{"ranks", 4}});
  fewer.or_fewer = true;
  MeshRates slow = quick;
  slow.link = {1e-2, 1e-6};
  const MeshChoice small = chosen_with(
      slow, {{"steps", 16}, {"minibatch", 32}, {"epochs", 1}, {"hidden", {8, 8}}}, fewer);
  EXPECT_EQ(small.candidates[0].ranks(), 1) << small.text;
}

// The first one is within a tenth of the least time of all that were judged, and of those before it
// in the order of preference none is.
TEST(MeshChoice, IsTheLeastOfAll) {
  for (const double alpha : {1e-6, 1e-4, 1e-2})
    for (const double rate : {1e7, 1e10}) {
      MeshRates rates;
      rates.link = {alpha, 1e-9};
      rates.flops_per_second = rates.bytes_per_second = rate;
      const MeshChoice choice = chosen_with(
          rates, {{"steps", 16}, {"minibatch", 64}, {"epochs", 1}, {"hidden", {16, 16, 16, 16}}},
          parsed({{"ranks", 4}}));
      for (const MeshChoice::Candidate& each : choice.candidates)
        EXPECT_GE(each.seconds, 0.9 * 0.9 * choice.candidates[0].seconds) << choice.text;
      // 4 x 1, 2 x 2, 1 x 4, with two stages 2 x 1 and 1 x 2, and four stages.
      EXPECT_EQ(choice.candidates.size(), 6u) << choice.text;
    }
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
