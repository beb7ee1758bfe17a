// The stall matrix of the design, live: whatever holds a run up, `oneagent status` names who waits
// for whom within 2 s, memory stays bounded, and the run goes on once the cause is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>

#include "tests/support/redis_server.h"
#include "tests/support/tcp_relay.h"
#include "tests/system/ring_fixture.h"

namespace oneagent {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Stall : public Ring {
 protected:
  // A run of two actors over tcp that trains until the test ends; its store is outside its folder.
  Services start_run(const std::string& run, const Words& more = {}) {
    run_ = run;
    if (store_.empty()) store_ = "sqlite:" + (folder_.path() / "store.sqlite").string();
    Services all{*this,
                 settings(run, 1'000'000'000, 2) +
                     set({str("replay.address=tcp://127.0.0.1:", free_port(2)),
                          str("learner.address=tcp://127.0.0.1:", learner_port_),
                          "store.address=" + store_, "learner.checkpoint_seconds=1"}) +
                     more,
                 run,
                 {}};
    for (const char* name : {"replay", "learner", "actor-0", "actor-1"}) all.start(name);
    EXPECT_TRUE(all.reaches(3)) << all.logs();
    return all;
  }
  std::string status() {
    const std::string name = str("status-", count_++, ".log");
    (void)run({"status", run_, "--store", store_}, name, 10000);
    return log(name);
  }
  // Looks at the status until `text` is in it. The time that took is part of the promise: 2 s.
  std::string says(const std::string& text) {
    const int64_t since = steady_ns();
    std::string seen;
    do {
      seen = status();
      if (seen.find(text) != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } while (seconds_since(since) < 8);
    EXPECT_LE(seconds_since(since), 2.5) << "2 s, and half a second for the command\n" << seen;
    return seen;
  }
  static int64_t resident_kb(const Process& process) {
    std::ifstream file(str("/proc/", process.pid(), "/statm"));
    int64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * (::sysconf(_SC_PAGESIZE) / 1024);
  }

  std::string run_, store_;
  const int learner_port_ = free_port();
  int count_ = 0;
};

TEST_F(Stall, ALimiterBelowItsMinimumBecauseActorsStoodStill) {
  Services all = start_run("limiter");
  all.processes["actor-0"]->signal(SIGSTOP);
  const std::string text = says("the run waits for: actor-0");
  EXPECT_THAT(text, ContainsRegex("the run waits for: actor-0 \\(silent for"));
  EXPECT_THAT(says("learner waits"), ContainsRegex("learner waits [0-9.]+ s for replay/"));
  const int64_t before = all.version();
  all.processes["actor-0"]->signal(SIGCONT);
  EXPECT_TRUE(all.reaches(before)) << all.logs();
}

TEST_F(Stall, AStoppedLearner) {
  Services all = start_run("learner", set({"run.mode=async"}));
  all.processes["learner"]->signal(SIGSTOP);
  EXPECT_THAT(says("learner has been silent for"), HasSubstr("the run waits for: learner"));
  EXPECT_THAT(says("s for replay/"), ContainsRegex("actor-[01] waits [0-9.]+ s for replay/"));
  const int64_t before = resident_kb(*all.processes["replay"]);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(resident_kb(*all.processes["replay"]) - before, 4096) << "memory stays flat";
  const int64_t version = all.version();
  all.processes["learner"]->signal(SIGCONT);
  EXPECT_TRUE(all.reaches(version)) << all.logs();
}

TEST_F(Stall, ACutWeightsChannel) {
  TcpRelay relay(learner_port_);
  Services all = start_run("weights", set({"run.mode=async"}));
  all.kill("actor-1");
  all.start("actor-1", set({str("learner.address=tcp://127.0.0.1:", relay.port())}));
  (void)says("actor-1   running");
  std::this_thread::sleep_for(std::chrono::seconds(1));
  relay.cut();
  EXPECT_THAT(says("weights channel"),
              ContainsRegex("actor-1 is [0-9]+ versions? behind learner and has had no new weights "
                            "for [0-9.]+ s: the weights channel from learner to actor-1 is cut"));
  relay.mend();
  const int64_t since = steady_ns();
  while (status().find("weights channel") != std::string::npos && seconds_since(since) < 10)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_LT(seconds_since(since), 10) << status() << all.logs();
}

TEST_F(Stall, AStoreThatIsGone) {
  RedisServer redis;
  store_ = redis.address();
  Services all = start_run("store");
  const int64_t before = all.version();
  redis.kill(SIGKILL);
  EXPECT_THAT(says("the store cannot be reached"),
              AllOf(HasSubstr("the run waits for: the store cannot be reached"),
                    HasSubstr("services go on")));
  EXPECT_TRUE(all.reaches(before + 3)) << "training does not need the store\n" << all.logs();
  redis.start();
  (void)says("learner   running");
  (void)says("actor-1   running");  // each comes back at a heartbeat of its own
}

TEST_F(Stall, AnEvaluatorThatIsSlow) {
  Services all = start_run("evaluator");
  all.start("evaluator", set({"evaluator.episodes=100000", "evaluator.every=1"}));
  const int64_t since = steady_ns();
  while (status().find("evaluator  running") == std::string::npos && seconds_since(since) < 10)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_THAT(says("still evaluates"),
              ContainsRegex("evaluator still evaluates version [0-9]+ while [0-9]+ is out, for "
                            "[0-9.]+ s; training does not wait for it"));
  EXPECT_TRUE(all.reaches(all.version() + 3)) << all.logs();
}

// A file system of its own that fills up, under segments, checkpoints, metrics and audit alike.
class FullDisk : public Stall {
 protected:
  void SetUp() override {
    runs_ = disk_ = folder_.path() / "disk";
    make_folder(disk_);
    if (::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=24m") != 0) {
      disk_.clear();
      // Only root may mount; CI is root, so there it runs. A quota or RLIMIT_FSIZE fails otherwise
      // than a full file system does.
      GTEST_SKIP() << "mounting a small file system needs root";
    }
  }
  void TearDown() override {
    if (!disk_.empty()) ::umount2(disk_.c_str(), MNT_DETACH);
  }
  void fill() const {
    const std::string filler = (disk_ / "filler").string();
    const int fd = ::open(filler.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const std::vector<char> bytes(1 << 16);
    for (size_t size = bytes.size(); size > 0;)
      if (::write(fd, bytes.data(), size) <= 0) size /= 2;
    ::close(fd);
  }
  void make_room() const { fs::remove(disk_ / "filler"); }
  fs::path disk_;
};

TEST_F(FullDisk, HoldsTheRunLosesNothingAndGoesOnWhenThereIsRoom) {
  Services all =
      start_run("full", set({"replay.segment_bytes=1048576", "replay.journal_bytes=1048576"}));
  fill();
  EXPECT_THAT(says("the run waits for: replay"),
              ContainsRegex("the run waits for: replay.*No space left on device"));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  for (const auto& [name, process] : all.processes)
    EXPECT_TRUE(process->running()) << name << " ended\n" << all.logs();
  const int64_t before = all.version();
  make_room();
  EXPECT_TRUE(all.reaches(before + 5)) << all.logs();
  all.processes.clear();  // SIGKILL
  EXPECT_EQ(run({"audit", run_folder("full").string()}, "audit.log"), 0) << log("audit.log");
}

}  // namespace
}  // namespace oneagent
