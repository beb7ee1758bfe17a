// The program itself, as a user runs it: embedded, as services over tcp and ipc, killed, resumed,
// given bad input.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

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

// An asynchronous run needs no single actor: without the one that is gone for good its checkpoints
// are completed all the same, and can be resumed.
TEST_F(Ring, AnActorThatIsGoneForGoodDoesNotKeepAnAsynchronousRunFromItsCheckpoints) {
  const Words asynchronous = set({"run.mode=async", "learner.checkpoint_updates=20"});
  Services all = services("async", 1'000'000'000, 2, "ipc://" + (folder_.path() / "r").string(),
                          "ipc://" + (folder_.path() / "l").string(), asynchronous);
  ASSERT_TRUE(all.reaches(5)) << all.logs();
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
