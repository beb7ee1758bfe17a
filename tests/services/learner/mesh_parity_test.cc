// In float64 a learner of several ranks computes what one rank does: after 20 updates parameters
// and optimizer state agree to 1e-9, whether ranks are threads or processes, over both kinds of
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
  std::unique_ptr<LearnerRanks> ranks(const std::string& kind, int data, int tensor,
                                      Trainer& trainer) {
    const Experiment e = experiment();
    MeshOptions mesh{data, tensor};
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
    for (const auto& [data, tensor] : {std::pair{2, 1}, std::pair{1, 2}, std::pair{2, 2}}) {
      FixedLearner learner("cartpole", kOptions, chunks);
      const auto team = ranks(kind, data, tensor, learner.trainer);
      learner.train(kUpdates);
      expect_equal(learner.trainer.save_tensors(), expected,
                   str(kind, " data=", data, " tensor=", tensor));
    }
}

// What four processes have saved is whole tensors: one rank, or three threads, or two processes go
// on with it.
TEST_F(MeshParity, ACheckpointOfProcessesGoesOnOnOtherMeshes) {
  const auto chunks = collect("cartpole", kOptions, 4);
  const ring::ArraySet expected = alone(chunks, 6);
  ring::ArraySet saved;
  Json host;
  {
    FixedLearner learner("cartpole", kOptions, chunks);
    const auto team = ranks("processes", 2, 2, learner.trainer);
    learner.train(3);
    saved = learner.trainer.save_tensors();
    host = learner.trainer.save_host();
  }
  for (const auto& [kind, data, tensor] :
       {std::tuple{"alone", 1, 1}, std::tuple{"threads", 3, 1}, std::tuple{"processes", 1, 2},
        std::tuple{"processes", 3, 1}}) {
    FixedLearner learner("cartpole", kOptions, chunks);
    const auto team =
        kind == std::string("alone") ? nullptr : ranks(kind, data, tensor, learner.trainer);
    learner.trainer.load(saved, host);
    learner.next = 3;
    learner.train(3);
    expect_equal(learner.trainer.save_tensors(), expected,
                 str(kind, " data=", data, " tensor=", tensor, " from 2 x 2"));
  }
}

TEST_F(MeshParity, AMeshThatDoesNotFitIsRefusedInOneSentence) {
  const auto chunks = collect("cartpole", kOptions, 1);
  const auto refusal = [&](int data, int tensor) -> std::string {
    FixedLearner learner("cartpole", kOptions, chunks);
    const auto team = ranks("threads", data, tensor, learner.trainer);
    try {
      (void)learner.algorithm->learn(learner.trainer);
    } catch (const TrainingFault& fault) {
      team->abort(fault.what());
      return fault.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(33, 1), ::testing::HasSubstr("data is 33, but a batch of phase update has 32 "
                                                   "rows; lower data, or raise [algorithm] "
                                                   "minibatch"));
  EXPECT_EQ(refusal(3, 1), "") << "uneven shares are fine";
}

}  // namespace
}  // namespace oneagent
