// Processes that are killed or stopped while their ranks are in a collective.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "tests/core/comm/rank_runners.h"
#include "tests/support/temporary_folder.h"

namespace oneagent::comm {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// `body` on each of n ranks, a forked process each; what it threw is in told(rank).
class RankProcesses {
 public:
  RankProcesses(int n, int64_t deadline_ms, const std::function<void(Communicator&)>& body) {
    for (int rank = 0; rank < n; ++rank) {
      const pid_t pid = fork();
      if (pid == 0) run(rank, n, deadline_ms, body);
      pids_.push_back(pid);
    }
  }
  ~RankProcesses() {
    for (const pid_t pid : pids_) {
      if (pid == 0) continue;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

  // True when the rank has called `ready` in its folder.
  bool wait_for_ready(int n) const {
    const Deadline deadline = Deadline::after_ms(10'000);
    for (int rank = 0; rank < n; ++rank) {
      while (!fs::exists(path("ready", rank)))
        if (deadline.expired()) return false;
    }
    return true;
  }
  void signal(int rank, int number) { kill(pids_[rank], number); }
  // What the rank's body threw; "still running" at the deadline.
  std::string told(int rank, int64_t timeout_ms) {
    const Deadline deadline = Deadline::after_ms(timeout_ms);
    int status = 0;
    while (waitpid(pids_[rank], &status, WNOHANG) == 0) {
      if (deadline.expired()) return "still running";
      usleep(2000);
    }
    pids_[rank] = 0;
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return fs::exists(path("error", rank)) ? read_text(path("error", rank)) : "";
  }

 private:
  fs::path path(const std::string& what, int rank) const {
    return folder_.path() / (what + std::to_string(rank));
  }
  [[noreturn]] void run(int rank, int n, int64_t deadline_ms,
                        const std::function<void(Communicator&)>& body) {
    try {
      FileRendezvous rendezvous(folder_.path());
      GlooOptions options;
      options.options.deadline_ms = deadline_ms;
      const auto communicator = make_gloo_communicator(rank, n, rendezvous, options);
      communicator->barrier();
      std::ofstream(path("ready", rank)).flush();
      body(*communicator);
    } catch (const std::exception& error) {
      std::ofstream(path("error", rank)) << error.what();
    }
    _exit(0);
  }

  TemporaryFolder folder_;
  std::vector<pid_t> pids_;
};

class GlooProcesses : public ::testing::Test {
 protected:
  void SetUp() override {
    // Debian's libgloo is not built with ThreadSanitizer, which reports races inside of it.
    if (!kGloo) GTEST_SKIP() << "libgloo under ThreadSanitizer";
  }
};

void reduce_for_ever(Communicator& comm, size_t count) {
  std::vector<float> data(count);
  while (true) comm.all_reduce(data.data(), count, DType::kFloat32, Reduce::kSum);
}

TEST_F(GlooProcesses, AKilledRankIsNamedByAllOthersWithinFiveSeconds) {
  for (const size_t count : {1, 1 << 20}) {
    RankProcesses ranks(4, 60'000, [&](Communicator& comm) { reduce_for_ever(comm, count); });
    ASSERT_TRUE(ranks.wait_for_ready(4));
    usleep(100'000);
    ranks.signal(1, SIGKILL);
    const int64_t start = steady_ns();
    for (const int rank : {0, 2, 3})
      EXPECT_THAT(ranks.told(rank, 5000),
                  AnyOf(HasSubstr("rank 1 was lost"), HasSubstr("for rank 1, which was lost")))
          << "rank " << rank << ", " << count << " elements";
    EXPECT_LT(seconds_since(start), 5);
  }
}

TEST_F(GlooProcesses, ARankIsLostEvenIfNobodyWaitsForIt) {
  RankProcesses ranks(3, 60'000, [](Communicator& comm) {
    if (comm.rank() == 2) pause();
    int value;
    comm.receive(&value, sizeof value, 1 - comm.rank(), 0);
  });
  ASSERT_TRUE(ranks.wait_for_ready(3));
  ranks.signal(2, SIGKILL);
  for (const int rank : {0, 1}) EXPECT_THAT(ranks.told(rank, 5000), HasSubstr("rank 2 was lost"));
}

TEST_F(GlooProcesses, AStoppedRankIsNamedAtTheDeadline) {
  RankProcesses ranks(3, 1500, [](Communicator& comm) { reduce_for_ever(comm, 100); });
  ASSERT_TRUE(ranks.wait_for_ready(3));
  ranks.signal(0, SIGSTOP);
  for (const int rank : {1, 2})
    EXPECT_THAT(ranks.told(rank, 5000), HasSubstr("for rank 0 for more than 1500 ms"));
}

TEST_F(GlooProcesses, AnAbortReachesEveryProcess) {
  RankProcesses ranks(3, 60'000, [](Communicator& comm) {
    if (comm.rank() == 2) {
      usleep(50'000);
      comm.abort("rank 2: the loss is not finite");
    }
    comm.barrier();
  });
  for (const int rank : {0, 1, 2})
    EXPECT_EQ(ranks.told(rank, 5000), "rank 2: the loss is not finite");
}

}  // namespace
}  // namespace oneagent::comm
