// The program itself, as a user runs it: embedded, as services over tcp and ipc, killed, resumed,
// given bad input.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "tests/support/redis_server.h"
#include "tests/system/ring_fixture.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

TEST_F(Ring, EmbeddedTrainingEndsWithAResultLine) {
  ASSERT_EQ(run(Words{"train", kPresets + "ppo-cartpole.toml", "--json"} + settings("json", 2048),
                "json.log"),
            0)
      << log("json.log");
  const std::vector<std::string> lines = split(trim(log("json.log")), '\n');
  const Json last = Json::parse(lines.back(), nullptr, false);
  ASSERT_TRUE(last.is_object()) << lines.back();
  EXPECT_TRUE(last.contains("eval_return"));
  EXPECT_EQ(last["type"], "result");
}

TEST_F(Ring, TheSameSeedGivesTheSameWeightsWithOneOrTwoThreads) {
  train("a", 4096);
  train("b", 4096, 1, set({"actor.threads=2"}));
  expect_equal_weights("a", "b");
}

TEST_F(Ring, EmbeddedTcpAndIpcRunsEndWithBitEqualWeights) {
  train("embedded", 4096);
  for (const std::string& kind : {std::string("tcp"), std::string("ipc")}) {
    Services all = kind == "tcp"
                       ? tcp_services(kind, 4096, 1)
                       : services(kind, 4096, 1, "ipc://" + (folder_.path() / "replay").string(),
                                  "ipc://" + (folder_.path() / "learner").string());
    ASSERT_EQ(all.processes["learner"]->wait(60000).value_or(-1), 0) << all.logs();
    expect_equal_weights("embedded", kind);
    EXPECT_EQ(all.processes["actor-0"]->wait(5000).value_or(-1), 0)
        << "the actor ends with the run\n"
        << all.logs();
    all.processes["replay"]->signal(SIGTERM);
    EXPECT_EQ(all.processes["replay"]->wait(10000).value_or(-1), 0) << "SIGTERM drains\n"
                                                                    << all.logs();
  }
}

TEST_F(Ring, TwoActorsMergeInTheirOrderEmbeddedAndOverTcp) {
  train("embedded", 8192, 2);
  Services all = tcp_services("tcp", 8192, 2);
  ASSERT_EQ(all.processes["learner"]->wait(60000).value_or(-1), 0) << all.logs();
  expect_equal_weights("embedded", "tcp");
}

TEST_F(Ring, AResumedRunEndsWithTheWeightsOfAnUninterruptedOne) {
  train("whole", 6144);
  train("parts", 2048);
  ASSERT_EQ(run({"resume", run_folder("parts").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=6144"},
                "resume.log"),
            0)
      << log("resume.log");
  expect_equal_weights("whole", "parts");
}

TEST_F(Ring, AKilledRunResumesToTheSameWeights) {
  train("whole", 60000);
  {
    Process process =
        start(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} +
                  settings("killed", 60000) + set({"learner.checkpoint_updates=3"}),
              "killed.log");
    const Deadline until = Deadline::after_ms(30000);
    while (!fs::exists(run_folder("killed") / "checkpoints" / "epoch-4" / "manifest.json") &&
           process.running() && !until.expired())
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(process.running()) << log("killed.log");
    process.signal(SIGKILL);
    process.wait(5000);
  }
  ASSERT_EQ(
      run({"resume", run_folder("killed").string(), "--quiet", "--no-final-eval"}, "resume.log"), 0)
      << log("resume.log");
  expect_equal_weights("whole", "killed");
}

TEST_F(Ring, ALearnerOfSeveralRanksTrainsAndGoesOnAlone) {
  train("ranks", 4000, 1, set({"learner.parallel.data=2", "learner.parallel.tensor=2"}));
  train("alone", 4000);
  const ring::ArraySet ranks = weights("ranks"), alone = weights("alone");
  ASSERT_EQ(ranks.arrays().size(), alone.arrays().size());
  EXPECT_EQ(run({"resume", run_folder("ranks").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=6000", "--set", "learner.parallel.data=1", "--set",
                 "learner.parallel.tensor=1"},
                "alone-again.log"),
            0)
      << log("alone-again.log");
}

TEST_F(Ring, PlanSaysWhatIsSplit) {
  EXPECT_EQ(run({"plan", kPresets + "ppo-cartpole.toml"}, "plan.log"), 0) << log("plan.log");
  EXPECT_THAT(log("plan.log"), HasSubstr("phase update"));
  EXPECT_EQ(run(Words{"plan", kPresets + "ppo-cartpole.toml"} +
                    set({"learner.parallel.data=2", "learner.parallel.tensor=2"}),
                "mesh.log"),
            0)
      << log("mesh.log");
  EXPECT_THAT(log("mesh.log"), HasSubstr("mesh [data=2, tensor=2]"));
  EXPECT_THAT(log("mesh.log"), HasSubstr("parameter"));
  EXPECT_EQ(run({"plan", kPresets + "ppo-cartpole.toml", "--pipeline", "2", "--micro-batches", "4"},
                "stages.log"),
            0)
      << log("stages.log");
  EXPECT_THAT(log("stages.log"), HasSubstr("stage 1 (rank 1): "));
  EXPECT_THAT(log("stages.log"), HasSubstr("1f1b: 2 ranks, 4 micro-batches"));
  EXPECT_THAT(log("stages.log"), HasSubstr("with these stages "));
  EXPECT_EQ(run({"plan", kPresets + "ppo-cartpole.toml", "--pipeline", "2", "--micro-batches", "7"},
                "uneven.log"),
            2);
  EXPECT_THAT(log("uneven.log"), HasSubstr("which do not pass in 7 equal micro-batches; take a "
                                           "number that divides "));
}

TEST_F(Ring, CtrlCWritesACheckpointAndSaysHowToGoOn) {
  Process process = start(
      Words{"train", kPresets + "ppo-cartpole.toml", "--quiet"} + settings("stopped", 50'000'000),
      "stopped.log");
  const Deadline until = Deadline::after_ms(20000);
  while (!fs::exists(run_folder("stopped") / "metrics" / "learner.jsonl") && !until.expired())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(10000).value_or(-1), 0) << log("stopped.log");
  EXPECT_THAT(log("stopped.log"), HasSubstr("oneagent resume"));
  EXPECT_EQ(run({"resume", run_folder("stopped").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=1"},
                "resume.log"),
            0)
      << log("resume.log");
}

TEST_F(Ring, AClosedTerminalWritesACheckpointToo) {
  Process process = start(
      Words{"train", kPresets + "ppo-cartpole.toml", "--quiet"} + settings("closed", 50'000'000),
      "closed.log");
  const Deadline until = Deadline::after_ms(20000);
  while (!fs::exists(run_folder("closed") / "metrics" / "learner.jsonl") && !until.expired())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  process.signal(SIGHUP);
  EXPECT_EQ(process.wait(10000).value_or(-1), 0) << log("closed.log");
  EXPECT_THAT(log("closed.log"), HasSubstr("oneagent resume"));
}

TEST_F(Ring, TheTimeIsUpAlsoWhileTheLearnerWaitsForData) {
  EXPECT_EQ(
      run(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet", "--no-final-eval"} +
              settings("waiting", 0) + set({"algorithm.chunks=1000000000", "stop.minutes=0.02"}),
          "waiting.log", 20000),
      0)
      << log("waiting.log");
}

// A running run: nobody else may work in its folder, and trying changes nothing.
TEST_F(Ring, ARunningRunIsLeftAlone) {
  Process process = start(Words{"train", kPresets + "ppo-cartpole.toml", "--quiet"} +
                              settings("live", 50'000'000) + set({"learner.checkpoint_updates=20"}),
                          "live.log");
  const fs::path folder = run_folder("live");
  const Deadline until = Deadline::after_ms(20000);
  while (!fs::exists(folder / "checkpoints" / "epoch-2" / "manifest.json") && !until.expired())
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::string resolved = read_text(folder / "resolved.json");
  for (const Words& words :
       {Words{"audit", folder.string()},
        Words{"resume", folder.string(), "--set", "learner.keep_checkpoints=9"}}) {
    EXPECT_EQ(run(words, "second.log", 20000), 2) << log("second.log");
    EXPECT_THAT(log("second.log"), HasSubstr("is in use by process"));
  }
  EXPECT_EQ(read_text(folder / "resolved.json"), resolved);
  process.signal(SIGKILL);
  process.wait(5000);
  EXPECT_EQ(run({"audit", folder.string()}, "audit.log"), 0) << log("audit.log");
}

// A learner with the addresses of another run: it ends with the reason, that run goes on.
TEST_F(Ring, AForeignLearnerDoesNotRollARunBack) {
  Services all = tcp_services("own", 1'000'000'000, 1);
  ASSERT_TRUE(all.reaches(5)) << all.logs();
  Words foreign = {"learner", kPresets + "ppo-cartpole.toml"};
  for (const std::string& word : all.common)
    foreign.push_back(word == "run.name=own" ? "run.name=foreign" : word);
  foreign = foreign + set({str("learner.address=tcp://127.0.0.1:", free_port())});
  EXPECT_EQ(run(foreign, "foreign.log", 20000), 1) << log("foreign.log");
  EXPECT_THAT(log("foreign.log"), HasSubstr("came to the replay of run own"));
  EXPECT_TRUE(all.reaches(all.version() + 5)) << all.logs();
}

// Every service in turn, over tcp; the run ends all the same, and what actors saw acknowledged is
// in the ledger exactly once.
TEST_F(Ring, AnyServiceMayBeKilledAndTheRunGoesOn) {
  Services all = tcp_services("kills", 400000, 2);
  for (const std::string& name : {std::string("actor-0"), std::string("learner"),
                                  std::string("replay"), std::string("actor-1")}) {
    ASSERT_TRUE(all.reaches(all.version() + 5)) << "before killing " << name << "\n" << all.logs();
    all.kill(name);
    const int64_t killed_at = steady_ns();
    const int64_t before = all.version();
    all.start(name);
    ASSERT_TRUE(all.reaches(before)) << "after killing " << name << "\n" << all.logs();
    std::printf("recovery after SIGKILL of %s: %.2f s\n", name.c_str(), seconds_since(killed_at));
  }
  all.processes.clear();
  EXPECT_EQ(run({"audit", run_folder("kills").string()}, "audit.log"), 0) << log("audit.log");
}

// All services of a machine that goes down drain at once: the replay may be gone while the learner
// writes its last checkpoint.
TEST_F(Ring, ALearnerWhoseReplayAnswersNoMoreDrainsInTime) {
  Services all = tcp_services("silent", 1'000'000'000, 1);
  ASSERT_TRUE(all.reaches(5)) << all.logs();
  Process& learner = *all.processes["learner"];
  all.processes["replay"]->signal(SIGSTOP);
  learner.signal(SIGTERM);
  const int64_t started = steady_ns();
  EXPECT_EQ(learner.wait(10000).value_or(-1), 0) << all.logs();
  EXPECT_LT(seconds_since(started), 4) << all.logs();
  EXPECT_THAT(learner.output(), HasSubstr("the last complete one stands"));
  all.kill("replay");
}

// An asynchronous run needs no single actor: without the one that is gone for good its checkpoints
// are completed all the same, and can be resumed.
TEST_F(Ring, AnActorThatIsGoneForGoodDoesNotKeepAnAsynchronousRunFromItsCheckpoints) {
  const Words asynchronous = set({"run.mode=async", "learner.checkpoint_updates=20"});
  Services all = services("async", 1'000'000'000, 2, "ipc://" + (folder_.path() / "r").string(),
                          "ipc://" + (folder_.path() / "l").string(), asynchronous);
  // Both actors take part by then; one alone makes the first versions within milliseconds.
  ASSERT_TRUE(all.reaches(200)) << all.logs();
  all.kill("actor-1");
  const int64_t before = all.version();
  ASSERT_TRUE(all.reaches(before + 50)) << all.logs();
  all.kill("learner");
  EXPECT_THAT(all.processes["learner"]->output(),
              HasSubstr("is without actor-1, which has not stamped it"));
  all.processes.clear();
  EXPECT_EQ(run({"audit", run_folder("async").string()}, "audit.log"), 0) << log("audit.log");
  ASSERT_EQ(run({"resume", run_folder("async").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=1"},
                "resume.log"),
            0)
      << log("resume.log");
  EXPECT_THAT(log("resume.log"), HasSubstr("restored checkpoint"));
}

// ---- bad input: one clear error each

class BadInput : public Ring {
 protected:
  void expect_refused(const Words& words, const std::string& reason) {
    const std::string name = str("bad-", count_++, ".log");
    EXPECT_EQ(run(words, name, 20000), 2) << log(name);
    EXPECT_THAT(log(name), HasSubstr(reason));
    EXPECT_LE(split(trim(log(name)), '\n').size(), 2u) << "one clear error, was:\n" << log(name);
  }
  fs::path write(const std::string& name, const std::string& text) {
    write_atomic(folder_.path() / name, text);
    return folder_.path() / name;
  }
  int count_ = 0;
};

TEST_F(BadInput, NamesWhatIsWrongAndWhatToWriteInstead) {
  expect_refused({"train", "ppo-cartpol"}, "did you mean \"ppo-cartpole\"");
  expect_refused({"train", write("broken.toml", "[env]\nname = = 3\n")}, "broken.toml:2");
  expect_refused({"train", write("key.toml", "[env]\nname = \"cartpole\"\ncuont = 3\n")},
                 "did you mean \"count\"");
  expect_refused({"train", write("env.toml", "[env]\nname = \"cartpol\"\n")},
                 "did you mean \"cartpole\"");
  expect_refused({"train", write("algorithm.toml", "[algorithm]\nname = \"pop\"\n")},
                 "did you mean \"ppo\"");
  expect_refused({"train", "ppo-cartpole", "--set", "learner.lr=3"}, "[learner] lr");
  expect_refused({"train", "ppo-cartpole", "--set", "algorithm.clip=-1"}, "must be 0 .. 10");
  expect_refused({"train", "ppo-grid", "--set", "env.map=nowhere.map"}, "nowhere.map");
  expect_refused(
      {"train", "ppo-grid", "--set",
       "env.map=" + write("bad.map", "type octile\nheight 2\nwidth 3\nmap\n...\n").string()},
      "bad.map");
  expect_refused({"resume", folder_.path() / "nothing"}, "resolved.json is missing");
  expect_refused({"describe", "env", "gridpath"}, "did you mean \"grid_path\"");
  expect_refused({"list", "env"}, "did you mean \"envs\"");
}

TEST_F(BadInput, WhatIsRefusedLeavesNoRunFolderBehind) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"algorithm.lr=-1", "[algorithm] lr: must be 0 .. 1"},
      {"algorithm.hidden=[\"a\"]", "[algorithm] hidden[0]: expected integer"},
      {"algorithm.core=rnn", "[algorithm] core: unknown \"rnn\""},
      {"algorithm.hidden=[1000000,1000000]", "no memory"},
      {"evaluator.baselines=[\"nope\"]", "unknown baseline \"nope\""},
      {"evaluator.episodes=0", "[evaluator] episodes = 0"},
      {"evaluator.env=3", "[evaluator] env: expected a table"},
      {"evaluator.env.foo=3", "[evaluator.env] foo: unknown key"},
      {"evaluator.env.max_steps=-1", "[evaluator.env]: [env] max_steps: must be at least 1"},
      {"env.name.x=1", "[env] name is no table"},
      {"env.count=4294967297", "[env] count: expected an integer of"},
      {"env.start=[0, 0, 0, nan]", "start[3]: expected a finite number, was nan"},
      {"actor.index=1", "[actor] index is 1, with [actor] count 1 it must be -1 .. 0"},
      {"replay.ordered_actors=5", "[replay] ordered_actors is 5, [actor] count is 1"},
      {"replay.capacity_bytes=262144", "too little for two files of segment_bytes"},
      {"stop.eval_return=nan", "expected a finite number, was nan"},
      {"store.address=mysql://x", "store address mysql://x: expected"},
  };
  for (const auto& [setting, reason] : cases) {
    SCOPED_TRACE(setting);
    expect_refused(Words{"train", "ppo-cartpole"} + settings("refused", 512) + set({setting}),
                   reason);
    EXPECT_FALSE(fs::exists(run_folder("refused")));
  }
  expect_refused(
      Words{"train", "ppo-cartpole"} + settings("refused", 512, 2) + set({"algorithm.chunks=3"}),
      "must be a multiple of [actor] count");
  EXPECT_FALSE(fs::exists(run_folder("refused")));
}

TEST_F(BadInput, RanksOfTheLearnerAreChecked) {
  const Words experiment = {"train", kPresets + "ppo-cartpole.toml", "--quiet"};
  expect_refused(experiment + set({"learner.parallel.data=-1"}),
                 "[learner.parallel] data: must be 0 .. 64, was -1");
  expect_refused(experiment + set({"learner.parallel.ranks=4", "learner.parallel.data=3"}),
                 "data is 3, which does not divide ranks = 4");
  expect_refused(experiment + set({"learner.parallel.ranks=6", "learner.parallel.data=3",
                                   "learner.parallel.tensor=1"}),
                 "data 3 x tensor 1 is 3, but ranks is 6");
  expect_refused(experiment + set({"learner.parallel=\"all\""}),
                 "expected \"auto\" or a table such as { data = 2 }, was \"all\"");
  expect_refused(experiment + set({"learner.parallel.kind=process"}),
                 "did you mean \"processes\"?");
  expect_refused(experiment + set({"learner.parallel.pipe=2"}), "unknown key \"pipe\"");
  expect_refused(experiment + set({"learner.parallel=2"}),
                 "expected \"auto\" or a table such as { data = 2 }, was 2");
  expect_refused(experiment + set({"learner.parallel.data=2", "learner.graph=false"}),
                 "leave [learner] graph = false out, or parallel");
}

TEST_F(BadInput, ARunsNameStaysInItsFolder) {
  for (const char* name : {"../up", "/tmp/oneagent-bad-name", ".", "..", "a/b", "a b", "a\\nb"})
    expect_refused(Words{"train", "ppo-cartpole", "--set", "run.folder=" + runs_.string(), "--set",
                         str("run.name=\"", name, "\"")},
                   "[run] name: expected letters, digits");
  EXPECT_FALSE(fs::exists(runs_.parent_path() / "up"));
}

TEST_F(BadInput, AClumsyCommandLineIsAnsweredInOneSentence) {
  expect_refused({"trian", "ppo-cartpole"}, "unknown command \"trian\"; did you mean \"train\"?");
  expect_refused({}, "a command is missing");
  for (const char* command : {"eval", "audit", "resume"})
    expect_refused({command, ""}, "the name of the run folder is empty");
  expect_refused({"train", ""}, "the name of the experiment file is empty");
  expect_refused({"train", "no/such/folder/ppo-cartpole"}, "does not exist");
  train("run", 512);
  const std::string folder = run_folder("run").string();
  expect_refused({"eval", folder, "--episodes", "-1"}, "[evaluator] episodes: must be 0 .. 1e+06");
  expect_refused({"eval", folder, "--episodes", "1000001"}, "must be 0 .. 1e+06, was 1000001");
  expect_refused({"resume", folder, "--set", "run.name=other"}, "has no effect here");
  EXPECT_EQ(run({"status", folder + "/"}, "slash.log"), 0) << log("slash.log");
  EXPECT_EQ(run({"--version"}, "version.log"), 0) << log("version.log");
  EXPECT_EQ(run({"status", "run", "--store", "redis://127.0.0.1:1"}, "gone.log"), 1)
      << log("gone.log");
  EXPECT_THAT(log("gone.log"), HasSubstr("cannot be reached"));
  Process full({"/bin/sh", "-c", kProgram + " list envs > /dev/full"},
               folder_.path() / "logs" / "full.log");
  EXPECT_EQ(full.wait(10000).value_or(-1), 1);
  EXPECT_THAT(full.output(), HasSubstr("the output could not be written"));
}

// A store that answers but does not take what is written: told once, not at every heartbeat.
TEST_F(BadInput, AStoreWithForeignValuesAtOurKeysIsToldOnce) {
  const RedisServer redis;
  Process foreign({"/bin/bash", "-c",
                   str("exec 3<>/dev/tcp/127.0.0.1/", redis.port(),
                       "; printf 'LPUSH oa:index x\\r\\n' >&3; read -r answer <&3; echo $answer")},
                  folder_.path() / "logs" / "foreign.log");
  ASSERT_EQ(foreign.wait(5000).value_or(-1), 0);
  ASSERT_THAT(foreign.output(), HasSubstr(":1"));
  EXPECT_EQ(run(Words{"train", "ppo-cartpole", "--quiet", "--no-final-eval"} +
                    settings("foreign", 200'000) + set({"store.address=" + redis.address()}),
                "train.log"),
            0)
      << log("train.log");
  EXPECT_THAT(log("train.log"), HasSubstr("services go on and heartbeats resume when it is back"));
  EXPECT_THAT(log("train.log"), ::testing::Not(HasSubstr("; heartbeats resume\n")));
}

// What shows only while running ends the run with its reason, instead of a wait without end.
TEST_F(BadInput, AChunkBeyondTheLimitEndsTheRun) {
  EXPECT_EQ(run(Words{"train", "ppo-cartpole", "--quiet"} + settings("chunk", 512) +
                    set({"replay.credit_bytes=4096"}),
                "chunk.log", 20000),
            1);
  EXPECT_THAT(log("chunk.log"), HasSubstr("4096 bytes"));
}

TEST_F(BadInput, TooManyThreadsForTheMachineIsAnErrorAndNotAWait) {
  const Words words = Words{"train", "ppo-cartpole", "--quiet"} + settings("threads", 512, 1000) +
                      set({"env.count=1"});
  std::string line = "ulimit -v 2000000; exec " + kProgram;
  for (const std::string& word : words) line += " '" + word + "'";
  Process process({"/bin/bash", "-c", line}, folder_.path() / "logs" / "threads.log");
  EXPECT_EQ(process.wait(30000).value_or(-1), 2) << process.output();
  EXPECT_THAT(process.output(), HasSubstr("cannot start a thread for each of 1003 services"));
}

TEST_F(BadInput, ADamagedOrForeignCheckpointIsRefusedWithTheReason) {
  train("run", 2048);
  const fs::path epoch = run_folder("run") / "checkpoints";
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(epoch))
    if (newest.empty() ||
        entry.path().filename().string().size() > newest.filename().string().size() ||
        entry.path().filename() > newest.filename())
      newest = entry.path();
  const Words resume = {"resume", run_folder("run").string(), "--quiet", "--set",
                        "stop.steps=4096"};
  const Bytes good = read_bytes(newest / "learner.safetensors");
  Bytes bad = good;
  bad[bad.size() / 2] ^= 1;
  write_atomic(newest / "learner.safetensors", bad);
  expect_refused(resume, "differs from its hash");
  fs::remove(newest / "learner.safetensors");
  expect_refused(resume, "is missing");
  write_atomic(newest / "learner.safetensors", good);
  expect_refused(resume + set({"algorithm.hidden=[32]"}), "another experiment");
  Json manifest = Json::parse(read_text(newest / "manifest.json"));
  manifest["schema"] = 99;
  write_atomic(newest / "manifest.json", manifest.dump());
  expect_refused(resume, "schema version 99");
}

TEST_F(BadInput, AnAuditOfALostStateDoesNotTakeTheWayBackToTheCheckpoint) {
  train("run", 2048);
  for (const auto& entry : fs::directory_iterator(run_folder("run") / "segments"))
    if (entry.path().filename().string().starts_with("state-")) fs::remove(entry.path());
  for (int i = 0; i < 2; ++i)
    expect_refused({"audit", run_folder("run").string()}, "holds no state-N.bin");
  EXPECT_EQ(run({"resume", run_folder("run").string(), "--quiet", "--no-final-eval", "--set",
                 "stop.steps=4096"},
                "resume.log"),
            0)
      << log("resume.log");
}

TEST_F(BadInput, APortInUseIsNamed) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  listen(fd, 1);
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  const std::string taken = str("127.0.0.1:", ntohs(address.sin_port));
  const Words common =
      settings("port", 2048) +
      set({"learner.address=tcp://" + taken, str("replay.address=tcp://127.0.0.1:", free_port(2))});
  EXPECT_NE(run(Words{"learner", kPresets + "ppo-cartpole.toml"} + common, "port.log", 20000), 0);
  EXPECT_THAT(log("port.log"), HasSubstr(taken));
  EXPECT_THAT(log("port.log"), HasSubstr("in use"));
  close(fd);
}

}  // namespace
}  // namespace oneagent
