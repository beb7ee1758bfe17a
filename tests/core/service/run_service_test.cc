// A process with a service: signals and exit codes. Each case is a child process.
#include "core/service/run_service.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "core/base/log.h"
#include "tests/core/service/function_service.h"
#include "tests/support/temporary_folder.h"

// A process that gives up or is forced to end leaves its threads behind on purpose.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() {
  return "report_thread_leaks=0";
}

namespace oneagent {
namespace {

const RunServiceOptions kQuick{.heartbeat_ms = 50, .lease_ms = 300, .drain_ms = 700};

class RunServiceTest : public ::testing::Test {
 protected:
  RunServiceTest() { EXPECT_EQ(::pipe(ready_), 0); }
  ~RunServiceTest() override {
    ::close(ready_[0]);
    ::close(ready_[1]);
  }

  // Starts run_service in a child and returns when its service has called say_ready().
  void start(const FunctionService::Run& run) {
    start_with([run] { return service("actor-0", run); });
    char byte = 0;
    ASSERT_EQ(::read(ready_[0], &byte, 1), 1);
  }
  void start_with(const std::function<std::unique_ptr<Service>()>& make) {
    child_ = ::fork();
    if (child_ != 0) return;
    set_log_level(LogLevel::kOff);
    const RunPlace place{"r", folder_.path(),
                         "sqlite:" + (folder_.path() / "store.sqlite").string()};
    ::_exit(run_service(place, make, kQuick));
  }
  void say_ready() { EXPECT_EQ(::write(ready_[1], "r", 1), 1); }
  void signal(int number) { ::kill(child_, number); }
  int exit_code() {
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  TemporaryFolder folder_;
  int ready_[2];
  pid_t child_ = 0;
};

TEST_F(RunServiceTest, sigterm_drains_and_exits_0) {
  start([&](ServiceContext& context) {
    say_ready();
    while (!context.wait_draining(Deadline::after_ms(1000))) {
    }
  });
  const int64_t begin = steady_ns();
  signal(SIGTERM);
  EXPECT_EQ(exit_code(), 0);
  EXPECT_LT(seconds_since(begin), 5.0);
}

TEST_F(RunServiceTest, sigint_drains_and_exits_0) {
  start([&](ServiceContext& context) {
    say_ready();
    while (!context.wait_draining(Deadline::after_ms(1000))) {
    }
  });
  signal(SIGINT);
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(RunServiceTest, a_second_sigint_ends_at_once_with_130) {
  start([&](ServiceContext& context) {
    say_ready();
    (void)context.wait_draining(Deadline::after_ms(5000));
    say_ready();
    ::usleep(5'000'000);
  });
  signal(SIGINT);
  char byte = 0;
  ASSERT_EQ(::read(ready_[0], &byte, 1), 1);
  signal(SIGINT);
  EXPECT_EQ(exit_code(), 130);
}

TEST_F(RunServiceTest, a_service_that_does_not_drain_in_time_is_given_up_with_1) {
  start([&](ServiceContext&) {
    say_ready();
    ::usleep(20'000'000);
  });
  const int64_t begin = steady_ns();
  signal(SIGTERM);
  EXPECT_EQ(exit_code(), 1);
  EXPECT_LT(seconds_since(begin), 6.0);
}

TEST_F(RunServiceTest, a_service_that_cannot_be_made_is_a_bad_configuration_2) {
  start_with([]() -> std::unique_ptr<Service> { throw_error("unknown env \"cartpol\""); });
  EXPECT_EQ(exit_code(), 2);
}

TEST_F(RunServiceTest, a_service_that_throws_is_a_failure_1) {
  start_with(
      [] { return service("actor-0", [](ServiceContext&) { throw_error("port in use"); }); });
  EXPECT_EQ(exit_code(), 1);
}

TEST_F(RunServiceTest, a_service_that_is_done_exits_0) {
  start_with([] { return service("actor-0", [](ServiceContext&) {}); });
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(RunServiceTest, a_name_in_use_is_a_bad_configuration_2) {
  start([&](ServiceContext& context) {
    say_ready();
    while (!context.wait_draining(Deadline::after_ms(1000))) {
    }
  });
  const pid_t first = child_;
  start_with([] { return idle_service("actor-0"); });
  EXPECT_EQ(exit_code(), 2);
  child_ = first;
  signal(SIGTERM);
  EXPECT_EQ(exit_code(), 0);
}

}  // namespace
}  // namespace oneagent
