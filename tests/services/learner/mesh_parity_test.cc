// In float64 a learner of several ranks computes what one rank does: after 20 updates parameters
// and optimizer state agree to 1e-9, whether ranks are threads or processes, over every kind of
// split. And a checkpoint of processes goes on on any other mesh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/io/arrays.h"
#include "core/ops/ops.h"
#include "services/cli/services_of_run.h"
#include "services/learner/process_team.h"
#include "services/learner/rank_team.h"
#include "tests/services/learner/fixed_learner.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

const Json kOptions = {{"steps", 16}, {"minibatch", 32}, {"epochs", 2}, {"dtype", "float64"}};
constexpr int kUpdates = 20;

class MeshParity : public ::testing::Test {
 protected:
  // What a rank that is a process reads: the experiment of the run folder.
  Experiment experiment() {
    const Json json = {{"run", {{"name", "parity"}, {"folder", folder_.path().string()}}},
                       {"env", {{"name", "cartpole"}, {"count", 4}}},
                       {"algorithm", [] {
                          Json a = kOptions;
                          a["name"] = "ppo";
                          return a;
                        }()}};
    Experiment e = read_experiment(Config::from_json(json, "parity.toml"), LocalRing::registry());
    prepare_run_folder(e);
    return e;
  }
  std::unique_ptr<LearnerRanks> ranks(const std::string& kind, MeshOptions mesh, Trainer& trainer) {
    const Experiment e = experiment();
    mesh.kind = kind;
    if (kind == "threads")
      return std::make_unique<RankTeam>(
          mesh, trainer, RankProgram{[] { return make_ppo("cartpole", kOptions); }, 1, "fault"});
    ProcessTeamOptions options;
    options.mesh = mesh;
    options.run = e.place.run;
    options.store = e.place.store;
    options.config_hash = e.hash;
    options.run_folder = e.place.folder;
    options.program = std::string(OA_BINARY) + "/oneagent";
    options.seed = 1;
    return std::make_unique<ProcessTeam>(std::move(options), trainer);
  }
  static ring::ArraySet alone(const std::vector<ring::Chunk>& chunks, int updates) {
    FixedLearner one("cartpole", kOptions, chunks);
    one.train(updates);
    return one.trainer.save_tensors();
  }
  static void expect_equal(const ring::ArraySet& actual, const ring::ArraySet& expected,
                           const std::string& where) {
    ASSERT_EQ(actual.arrays().size(), expected.arrays().size()) << where;
    double worst = 0;
    for (const ring::Array& array : expected.arrays()) {
      const Tensor a = io::tensor_over(actual.at(array.name)).to(kFloat64),
                   b = io::tensor_over(array).to(kFloat64);
      EXPECT_TRUE(allclose(a, b, 1e-9, 1e-14)) << where << " " << array.name;
      worst = std::max(worst, ((a - b).abs() / (b.abs() + 1e-12)).max().item<double>());
    }
    std::printf("%s: largest relative difference %.1e\n", where.c_str(), worst);
  }
  static std::string text_of(const MeshOptions& mesh) {
    return str("data=", mesh.data, " tensor=", mesh.tensor, " pipeline=", mesh.pipeline);
  }
  TemporaryFolder folder_;
};

TEST_F(MeshParity, TwentyUpdatesEqualThoseOfOneRank) {
  const auto chunks = collect("cartpole", kOptions, 5);
  const ring::ArraySet expected = alone(chunks, kUpdates);
  for (const ring::Array& array : expected.arrays())
    if (array.name.find("weight") != std::string::npos) {
      EXPECT_EQ(array.dtype, DType::kFloat64);
    }
  for (const std::string kind : {"threads", "processes"})
    for (const MeshOptions& mesh : {MeshOptions{2, 1}, MeshOptions{1, 2}, MeshOptions{2, 2},
                                    MeshOptions{1, 1, 2}, MeshOptions{2, 2, 2}}) {
      FixedLearner learner("cartpole", kOptions, chunks);
      const auto team = ranks(kind, mesh, learner.trainer);
      learner.train(kUpdates);
      expect_equal(learner.trainer.save_tensors(), expected, str(kind, " ", text_of(mesh)));
    }
}

// Every schedule of a pipeline computes the same, and so do micro-batches that are fewer than asked
// for: with 40 rows of 64 the second minibatch has 24.
TEST_F(MeshParity, SchedulesAndUnevenMinibatchesEqualOneRank) {
  Json options = kOptions;
  options.update({{"minibatch", 40}, {"hidden", {16, 16, 16}}});
  const auto chunks = collect("cartpole", options, 3);
  FixedLearner one("cartpole", options, chunks);
  one.train(3);
  const ring::ArraySet expected = one.trainer.save_tensors();
  for (const char* schedule : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2"}) {
    MeshOptions mesh{1, 1, 2};
    mesh.schedule = schedule;
    mesh.micro_batches = 6;
    FixedLearner learner("cartpole", options, chunks);
    RankTeam team(mesh, learner.trainer,
                  RankProgram{[&] { return make_ppo("cartpole", options); }, 1, "fault"});
    learner.train(3);
    EXPECT_THAT(learner.trainer.explain("update"), ::testing::HasSubstr(schedule));
    expect_equal(learner.trainer.save_tensors(), expected, schedule);
  }
}

// What four or eight processes have saved is whole tensors: one rank, or three threads, or two
// processes go on with it.
TEST_F(MeshParity, ACheckpointOfProcessesGoesOnOnOtherMeshes) {
  const auto chunks = collect("cartpole", kOptions, 4);
  const ring::ArraySet expected = alone(chunks, 6);
  for (const MeshOptions& before : {MeshOptions{2, 2}, MeshOptions{2, 2, 2}}) {
    ring::ArraySet saved;
    Json host;
    {
      FixedLearner learner("cartpole", kOptions, chunks);
      const auto team = ranks("processes", before, learner.trainer);
      learner.train(3);
      saved = learner.trainer.save_tensors();
      host = learner.trainer.save_host();
    }
    for (const auto& [kind, mesh] :
         {std::pair{"alone", MeshOptions{1, 1}}, std::pair{"threads", MeshOptions{3, 1}},
          std::pair{"threads", MeshOptions{1, 1, 3}}, std::pair{"processes", MeshOptions{1, 2}},
          std::pair{"processes", MeshOptions{3, 1}}}) {
      FixedLearner learner("cartpole", kOptions, chunks);
      const auto team = kind == std::string("alone") ? nullptr : ranks(kind, mesh, learner.trainer);
      learner.trainer.load(saved, host);
      learner.next = 3;
      learner.train(3);
      expect_equal(learner.trainer.save_tensors(), expected,
                   str(kind, " ", text_of(mesh), " from ", text_of(before)));
    }
  }
}

TEST_F(MeshParity, AMeshThatDoesNotFitIsRefusedInOneSentence) {
  const auto chunks = collect("cartpole", kOptions, 1);
  const auto refusal = [&](const MeshOptions& mesh) -> std::string {
    FixedLearner learner("cartpole", kOptions, chunks);
    const auto team = ranks("threads", mesh, learner.trainer);
    try {
      (void)learner.algorithm->learn(learner.trainer);
    } catch (const Error& fault) {
      team->abort(fault.what());
      return fault.what();
    }
    return "";
  };
  EXPECT_THAT(refusal({33, 1}),
              ::testing::HasSubstr("data is 33, but a batch of phase update has 32 "
                                   "rows; lower data, or raise [algorithm] "
                                   "minibatch"));
  EXPECT_EQ(refusal({3, 1}), "") << "uneven shares are fine";
  MeshOptions interleaved{1, 1, 3};
  interleaved.schedule = "interleaved";
  EXPECT_THAT(refusal(interleaved),
              ::testing::HasSubstr("multiples of pipeline = 3, but a batch of "
                                   "phase update has 32 rows"));
  EXPECT_THAT(refusal({1, 1, 60}),
              ::testing::HasSubstr("phase update cannot be a graph: pipeline"));
}

}  // namespace
}  // namespace oneagent
