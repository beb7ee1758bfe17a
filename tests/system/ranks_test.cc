// A learner of several ranks as a user runs it: threads, processes that it starts, and services;
// with ranks that are killed, stopped, or do not belong to it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/system/ring_fixture.h"

namespace oneagent {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class Ranks : public Ring {
 protected:
  static Words mesh(const std::string& kind, int data, int tensor) {
    return set({str("learner.parallel.data=", data), str("learner.parallel.tensor=", tensor),
                "learner.parallel.kind=" + kind});
  }
  static Words pipeline(int ranks) { return set({str("learner.parallel.pipeline=", ranks)}); }
  // Of the service in the run's store; 0 while it is not there.
  pid_t process_of(const std::string& run_name, const std::string& service) {
    (void)run({"status", run_name, "--folder", runs_.string(), "--json"}, str("pid-", ++asked_));
    const Json status = Json::parse(log(str("pid-", asked_)), nullptr, false);
    if (!status.is_object()) return 0;
    for (const Json& seen : status.value("services", Json::array()))
      if (seen.value("service", "") == service && seen.value("alive", false))
        return seen.value("pid", 0);
    return 0;
  }
  static bool await(double seconds, const std::function<bool()>& holds) {
    const int64_t since = steady_ns();
    while (seconds_since(since) < seconds) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return holds();
  }
  // An embedded run of two ranks, with the process of its second one.
  struct Run {
    std::unique_ptr<Process> train;
    std::string name;
  };
  Run start_run(const std::string& name, const Words& more) {
    Run out{
        std::make_unique<Process>(
            Words{kProgram, "train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} +
                settings(name, 1'000'000'000) + set({"learner.checkpoint_updates=10"}) + more,
            folder_.path() / "logs" / (name + ".log")),
        name};
    return out;
  }
  int64_t version(const std::string& name) const {
    const Services view{*this, {}, name, {}};
    return view.version();
  }
  int asked_ = 0;
};

TEST_F(Ranks, ProcessesAndThreadsEndWithBitEqualWeights) {
  train("threads", 4000, 1, mesh("threads", 2, 1));
  train("processes", 4000, 1, mesh("processes", 2, 1));
  expect_equal_weights("threads", "processes");
  // Actors put their weights together from the shards of both.
  train("threads-split", 2000, 1, mesh("threads", 1, 2));
  train("processes-split", 2000, 1, mesh("processes", 1, 2));
  expect_equal_weights("threads-split", "processes-split");
  train("threads-2x2", 2000, 1, mesh("threads", 2, 2));
  train("processes-2x2", 2000, 1, mesh("processes", 2, 2));
  expect_equal_weights("threads-2x2", "processes-2x2");
  EXPECT_THAT(log("processes-2x2.log"), HasSubstr("4 ranks are together, incarnation 1"));
}

TEST_F(Ranks, ProcessesAndThreadsEndWithBitEqualWeightsOnPipelines) {
  train("threads", 2000, 1, mesh("threads", 1, 1) + pipeline(2));
  train("processes", 2000, 1, mesh("processes", 1, 1) + pipeline(2));
  expect_equal_weights("threads", "processes");
  train("threads-2x2x2", 1000, 1, mesh("threads", 2, 2) + pipeline(2));
  train("processes-2x2x2", 1000, 1, mesh("processes", 2, 2) + pipeline(2));
  expect_equal_weights("threads-2x2x2", "processes-2x2x2");
  EXPECT_THAT(log("processes-2x2x2.log"), HasSubstr("8 ranks are together, incarnation 1"));
  // The folder's run goes on on one rank and on three.
  for (const Words& other :
       {mesh("threads", 1, 1) + pipeline(1), mesh("threads", 3, 1) + pipeline(1)}) {
    const std::string name = str("resume-", ++asked_, ".log");
    EXPECT_EQ(
        run(Words{"resume", run_folder("processes-2x2x2").string(), "--quiet", "--no-final-eval"} +
                set({str("stop.steps=", 1000 + 512 * asked_)}) + other,
            name),
        0)
        << log(name);
    EXPECT_THAT(log(name), HasSubstr("restored checkpoint epoch"));
  }
}

// Of a pipeline, whose ranks wait for their neighbours' results.
TEST_F(Ranks, AKilledStageOfAPipelineIsNamedAndReplaced) {
  Run run = start_run("stage", mesh("processes", 1, 1) + pipeline(3));
  ASSERT_TRUE(await(20, [&] { return version("stage") >= 12; })) << run.train->output();
  pid_t rank = 0;
  ASSERT_TRUE(await(10, [&] { return (rank = process_of("stage", "rank-1")) > 0; }))
      << log(str("pid-", asked_)) << run.train->output();
  ::kill(rank, SIGKILL);
  const int64_t since = steady_ns();
  EXPECT_TRUE(await(5, [&] {
    return run.train->output().find("3 ranks are together, incarnation 2") != std::string::npos;
  })) << run.train->output();
  std::printf("a new team within %.2f s\n", seconds_since(since));
  EXPECT_THAT(run.train->output(), ContainsRegex("rank 1.*(closed|reset|lost)"));
  EXPECT_THAT(run.train->output(), HasSubstr("going on from the last checkpoint"));
  const int64_t before = version("stage");
  EXPECT_TRUE(await(20, [&] { return version("stage") > before + 8; })) << run.train->output();
  run.train->signal(SIGINT);
  EXPECT_EQ(run.train->wait(15000).value_or(-1), 0) << run.train->output();
}

// Killed: the connections close. Stopped: no sign of life. Both are over within 5 s, by name, and
// the run goes on with a new team.
TEST_F(Ranks, AKilledOrStoppedProcessIsNamedAndReplaced) {
  Run run = start_run("lost", mesh("processes", 2, 1));
  ASSERT_TRUE(await(20, [&] { return version("lost") >= 15; })) << run.train->output();
  int incarnation = 1;
  for (const int signal : {SIGKILL, SIGSTOP, SIGKILL}) {
    pid_t rank = 0;
    ASSERT_TRUE(await(10, [&] { return (rank = process_of("lost", "rank-1")) > 0; }))
        << log(str("pid-", asked_)) << run.train->output();
    ::kill(rank, signal);
    const int64_t since = steady_ns();
    const std::string together = str("2 ranks are together, incarnation ", ++incarnation);
    EXPECT_TRUE(await(10, [&] { return run.train->output().find(together) != std::string::npos; }))
        << run.train->output();
    EXPECT_LT(seconds_since(since), 6) << "5 s to notice, and the new team";
    std::printf("after signal %d a new team within %.2f s\n", signal, seconds_since(since));
    const int64_t before = version("lost");
    EXPECT_TRUE(await(20, [&] { return version("lost") > before + 12; })) << run.train->output();
  }
  EXPECT_THAT(run.train->output(), ContainsRegex("rank 1 was lost: no sign of life for 3 s"));
  EXPECT_THAT(run.train->output(), ContainsRegex("rank 1.*(closed|reset|lost)"));
  run.train->signal(SIGINT);
  EXPECT_EQ(run.train->wait(15000).value_or(-1), 0) << run.train->output();
}

// The planner chooses how two ranks are split, for a run as for `plan`.
TEST_F(Ranks, AnInlineTableOrAutoLeavesTheSplitToThePlanner) {
  std::string text = read_text(fs::path(kPresets) / "ppo-cartpole.toml");
  const fs::path file = folder_.path() / "wide.toml";
  const size_t algorithm = text.find("steps = 32");
  ASSERT_NE(algorithm, std::string::npos);
  text.insert(algorithm, "hidden = [512, 512]\n");
  write_atomic(file, text + "\n[learner]\nparallel = { ranks = 2 }\n");
  const Words small =
      set({"env.count=2", "algorithm.steps=8", "algorithm.minibatch=16", "algorithm.epochs=1"});
  EXPECT_EQ(run(Words{"plan", file.string()} + small, "plan.log"), 0) << log("plan.log");
  EXPECT_THAT(log("plan.log"), HasSubstr("2 ranks: data=1 tensor=2"));
  EXPECT_THAT(log("plan.log"), HasSubstr("others: data=2 tensor=1"));
  EXPECT_THAT(log("plan.log"), HasSubstr("mesh [data=1, tensor=2]"));
  EXPECT_EQ(run(Words{"train", file.string(), "--quiet", "--no-final-eval"} + small +
                    set({"run.folder=" + runs_.string(), "run.name=wide", "stop.steps=64"}),
                "train.log"),
            0)
      << log("train.log");
  EXPECT_THAT(log("train.log"), HasSubstr("2 ranks: data=1 tensor=2"));
  EXPECT_EQ(run({"resume", run_folder("wide").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=128"},
                "resume.log"),
            0)
      << log("resume.log");
  EXPECT_THAT(log("resume.log"), HasSubstr("data=1 tensor=2, as this run began"));
  EXPECT_EQ(
      run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} + small +
              set({"run.folder=" + runs_.string(), "run.name=auto", "stop.steps=64",
                   "learner.parallel=auto"}),
          "auto.log"),
      0)
      << log("auto.log");
  if (std::thread::hardware_concurrency() > 1) {  // with one there is nothing to choose
    EXPECT_EQ(run({"resume", run_folder("auto").string(), "--quiet", "--no-final-eval", "--set",
                   "stop.steps=128"},
                  "auto-resume.log"),
              0)
        << log("auto-resume.log");
    EXPECT_THAT(log("auto-resume.log"), HasSubstr("as this run began"));
  }
  EXPECT_EQ(
      run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet"} + small +
              set({"run.folder=" + runs_.string(), "run.name=rows", "learner.parallel.data=20"}),
          "rows.log"),
      1);
  EXPECT_THAT(log("rows.log"), HasSubstr("data is 20, but a batch of phase update has 16 rows"));
  EXPECT_THAT(log("rows.log"), HasSubstr("20 ranks on"));
}

// As containers: ranks are services of their own that outlive the learner, and it them. Parameters
// are split, so that actors take shards from both, also from a rank that has come back.
TEST_F(Ranks, ServicesJoinLeaveAndComeBack) {
  Services all{*this,
               settings("services", 1'000'000'000) + mesh("services", 1, 2) +
                   set({str("replay.address=tcp://127.0.0.1:", free_port(2)),
                        str("learner.address=tcp://127.0.0.1:", free_port()),
                        "learner.parallel.host=127.0.0.1", "learner.checkpoint_updates=10"}),
               "services",
               {}};
  for (const char* name : {"replay", "learner", "actor-0"}) all.start(name);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  (void)run({"status", "services", "--folder", runs_.string()}, "waits.log");
  EXPECT_THAT(log("waits.log"), ContainsRegex("learner waits [0-9.]+ s for rank-1"));
  all.start("rank");
  ASSERT_TRUE(all.reaches(15)) << all.logs();

  all.kill("rank");
  all.start("rank");
  ASSERT_TRUE(all.reaches(all.version() + 12)) << all.logs();

  all.processes["rank"]->signal(SIGSTOP);
  ASSERT_TRUE(await(6, [&] {
    return all.processes["learner"]->output().find("no sign of life") != std::string::npos;
  })) << all.logs();
  all.processes["rank"]->signal(SIGCONT);
  ASSERT_TRUE(all.reaches(all.version() + 12)) << all.logs();

  // The learner itself, stopped for longer than ranks wait for it: they wait for its next call.
  all.processes["learner"]->signal(SIGSTOP);
  ASSERT_TRUE(await(6, [&] {
    return all.processes["rank"]->output().find("rank 0 was lost: no sign of life") !=
           std::string::npos;
  })) << all.logs();
  all.processes["learner"]->signal(SIGCONT);
  ASSERT_TRUE(all.reaches(all.version() + 12)) << all.logs();

  all.kill("learner");
  all.start("learner");
  ASSERT_TRUE(all.reaches(all.version() + 12)) << all.logs();
  all.processes["learner"]->signal(SIGTERM);
  EXPECT_EQ(all.processes["learner"]->wait(10000).value_or(-1), 0) << all.logs();
  all.processes["rank"]->signal(SIGTERM);
  EXPECT_EQ(all.processes["rank"]->wait(10000).value_or(-1), 0) << all.logs();
}

// A fault of the training itself is no loss: it ends the run, its ranks with it.
TEST_F(Ranks, AFaultOfTheTrainingEndsTheRunAndItsProcesses) {
  EXPECT_EQ(run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} +
                    settings("fault", 100'000) + mesh("processes", 2, 1) +
                    set({"algorithm.lr=1", "algorithm.max_grad_norm=0", "algorithm.clip=10",
                         "algorithm.value_coef=1e30"}),
                "fault.log", 30000),
            1);
  EXPECT_THAT(log("fault.log"), ContainsRegex("the (loss|gradient's norm) is -?(nan|inf)"));
  EXPECT_THAT(log("fault.log"), Not(HasSubstr("going on from the last checkpoint")));
  EXPECT_THAT(log("fault.log"), HasSubstr("incarnation 1"));
}

// Nothing is started, and nothing is tried again.
TEST_F(Ranks, AHostThatIsNoneOfThisMachineIsRefused) {
  for (const std::string host : {"no host!", "203.0.113.7"}) {
    EXPECT_EQ(
        run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet"} + settings("host", 100'000) +
                mesh("processes", 2, 1) + set({"learner.parallel.host=" + host}),
            "host.log", 15000),
        1);
    EXPECT_THAT(log("host.log"), HasSubstr("[learner.parallel] host is \"" + host + "\""));
    EXPECT_THAT(log("host.log"), Not(HasSubstr("going on from the last checkpoint")));
  }
}

// A disk that does not take the last weights is no loss of a rank, which another team would mend.
TEST_F(Ranks, WeightsThatCannotBeWrittenFailTheRun) {
  Run run = start_run("unwritten", mesh("threads", 2, 1));
  ASSERT_TRUE(await(20, [&] { return version("unwritten") >= 3; })) << run.train->output();
  fs::create_directories(run_folder("unwritten") / "weights" / "final.safetensors" / "taken");
  run.train->signal(SIGTERM);
  EXPECT_EQ(run.train->wait(15000).value_or(-1), 1) << run.train->output();
  EXPECT_THAT(run.train->output(), HasSubstr("the last weights: "));
}

TEST_F(Ranks, OptionsOfAPipelineAreNotReadWithoutOne) {
  for (const Words& option : {Words{"--schedule", "zb-h1"}, Words{"--micro-batches", "8"},
                              Words{"--stages-per-rank", "2"}}) {
    EXPECT_EQ(run(Words{"plan", kPresets + "ppo-cartpole.toml"} + option, "unread.log"), 2);
    EXPECT_THAT(log("unread.log"), HasSubstr("requires --pipeline"));
  }
}

TEST_F(Ranks, ARankOfAnotherExperimentIsRefusedWithTheReason) {
  const std::string store = "sqlite:" + (folder_.path() / "store.sqlite").string();
  const Words common =
      settings("own", 1'000'000'000) + mesh("services", 2, 1) +
      set({str("replay.address=tcp://127.0.0.1:", free_port(2)),
           str("learner.address=tcp://127.0.0.1:", free_port()), "store.address=" + store});
  Services all{*this, common, "own", {}};
  all.start("learner");
  EXPECT_EQ(
      run(Words{"rank", kPresets + "ppo-cartpole.toml"} + common +
              set({"algorithm.hidden=[32]", "run.folder=" + (folder_.path() / "other").string()}),
          "foreign.log"),
      1);
  EXPECT_THAT(log("foreign.log"), HasSubstr("the learner refuses this rank: rank 1 has another "
                                            "experiment"));
  EXPECT_THAT(all.processes["learner"]->output(), HasSubstr("rank 1 has another experiment"));
  EXPECT_TRUE(all.processes["learner"]->running()) << "it waits for the right one";
}

}  // namespace
}  // namespace oneagent
