// Several services in one process: their life, their end, and their records in the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/log.h"
#include "core/service/run_service.h"
#include "core/service/status.h"
#include "tests/core/service/function_service.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const RunServiceOptions kQuick{
    .heartbeat_ms = 50, .lease_ms = 300, .drain_ms = 3000, .handle_signals = false};

class ServiceGroupTest : public ::testing::Test {
 protected:
  ServiceGroupTest() { set_log_level(LogLevel::kOff); }
  RunPlace place() {
    return {"r", folder_.path(), "sqlite:" + (folder_.path() / "store.sqlite").string()};
  }
  std::unique_ptr<Store> store() { return std::move(*open_store(place().store)); }
  Heartbeat record(const std::string& service) {
    return heartbeat_from_text(store()->get(service_key("r", service)).value().value).value();
  }
  bool alive(const std::string& service) {
    return store()->find_lease(service_key("r", service)).ok();
  }

  TemporaryFolder folder_;
};

TEST_F(ServiceGroupTest, services_run_until_they_are_drained) {
  ServiceGroup group(place(), list_of(idle_service("learner"), idle_service("actor-0")), kQuick);
  group.start();
  EXPECT_FALSE(group.wait(Deadline::after_ms(50)));
  group.drain();
  EXPECT_TRUE(group.wait(Deadline::after_ms(2000)));
  EXPECT_EQ(group.exit_code(), kExitDrained);
  EXPECT_EQ(group.error(), "");
}

TEST_F(ServiceGroupTest, a_service_that_is_done_drains_the_others) {
  ServiceGroup group(place(),
                     list_of(service("learner", [](ServiceContext&) {}), idle_service("actor-0")),
                     kQuick);
  group.start();
  EXPECT_TRUE(group.wait(Deadline::after_ms(2000)));
  EXPECT_EQ(group.exit_code(), kExitDrained);
}

TEST_F(ServiceGroupTest,
       a_service_that_throws_fails_the_group_with_its_reason_and_drains_the_others) {
  bool drained = false;
  {
    ServiceGroup group(
        place(),
        list_of(
            service("learner", [](ServiceContext&) { throw_error("loss is NaN in update 17"); }),
            service("actor-0",
                    [&](ServiceContext& context) {
                      context.ready();
                      drained = context.wait_draining(Deadline::after_ms(2000));
                    })),
        kQuick);
    group.start();
    EXPECT_TRUE(group.wait(Deadline::after_ms(2000)));
    EXPECT_EQ(group.exit_code(), kExitFailure);
    EXPECT_EQ(group.error(), "learner: loss is NaN in update 17");
  }
  EXPECT_TRUE(drained);
  EXPECT_EQ(record("learner").state, ServiceState::kFailed);
  EXPECT_EQ(record("learner").last_error, "loss is NaN in update 17");
  EXPECT_FALSE(alive("learner"));
}

TEST_F(ServiceGroupTest, services_drain_stage_by_stage) {
  std::mutex mutex;
  std::vector<std::string> order;
  const auto noted = [&](const std::string& name, int stage) {
    return service(
        name,
        [&, name](ServiceContext& context) {
          context.ready();
          (void)context.wait_draining(Deadline::after_ms(5000));
          ::usleep(20'000);
          std::lock_guard lock(mutex);
          order.push_back(name);
        },
        stage);
  };
  ServiceGroup group(place(), list_of(noted("replay", 2), noted("learner", 0), noted("actor-0", 1)),
                     kQuick);
  group.start();
  group.drain();
  EXPECT_TRUE(group.wait(Deadline::after_ms(3000)));
  EXPECT_THAT(order, ElementsAre("learner", "actor-0", "replay"));
}

TEST_F(ServiceGroupTest, a_stage_that_does_not_end_leaves_time_for_the_next) {
  std::atomic<bool> next_was_told{false};
  ServiceGroup group(
      place(),
      list_of(service(
                  "learner",
                  [&](ServiceContext&) {
                    (void)eventually([&] { return next_was_told.load(); }, 5000);
                  },
                  0),
              service(
                  "replay",
                  [&](ServiceContext& context) {
                    next_was_told = context.wait_draining(Deadline::after_ms(4000));
                  },
                  1)),
      {.heartbeat_ms = 50, .lease_ms = 300, .drain_ms = 1500, .handle_signals = false});
  group.start();
  group.drain();
  EXPECT_TRUE(group.wait(Deadline::after_ms(1400)));
}

TEST_F(ServiceGroupTest, draining_wakes_each_callback_once_and_sets_a_deadline) {
  std::atomic<int> woken{0};
  std::atomic<int64_t> left_ms{0};
  ServiceGroup group(place(),
                     list_of(service("replay",
                                     [&](ServiceContext& context) {
                                       EXPECT_GT(context.drain_deadline().left_ms(), 1'000'000);
                                       const DrainWake wake(context, [&] { ++woken; });
                                       context.ready();
                                       (void)eventually([&] { return woken > 0; });
                                       left_ms = context.drain_deadline().left_ms();
                                       const DrainWake late(context, [&] { ++woken; });  // at once
                                     })),
                     kQuick);
  group.start();
  ASSERT_TRUE(eventually([&] { return group.heartbeats()[0].state == ServiceState::kRunning; }));
  group.drain();
  EXPECT_TRUE(group.wait(Deadline::after_ms(2000)));
  EXPECT_EQ(woken, 2);
  EXPECT_GT(left_ms, 1000);
  EXPECT_LE(left_ms, 3000);
}

// A learner that has finished is drained after its loop, and what its wake used, are gone.
TEST_F(ServiceGroupTest, a_service_that_ended_by_itself_is_not_woken) {
  std::atomic<int> woken{0};
  ServiceGroup group(place(),
                     list_of(service("learner",
                                     [&](ServiceContext& context) {
                                       const DrainWake wake(context, [&] { ++woken; });
                                     })),
                     kQuick);
  group.start();
  EXPECT_TRUE(group.wait(Deadline::after_ms(2000)));
  ASSERT_TRUE(eventually([&] { return group.context("learner").draining(); }));
  EXPECT_EQ(woken, 0);
}

TEST_F(ServiceGroupTest, the_record_in_the_store_tells_what_the_service_said) {
  ServiceGroup group(place(),
                     list_of(service("learner",
                                     [](ServiceContext& context) {
                                       context.ready("tcp://127.0.0.1:7000");
                                       context.version("policy", 41);
                                       context.version("policy", 42);
                                       context.metric("steps_per_s", 1234.5);
                                       context.problem("disk", "full");
                                       WaitScope wait(context.waits(), "learner", "replay/rollout",
                                                      "needs 1 item, has 0");
                                       (void)context.wait_draining(Deadline::after_ms(5000));
                                     })),
                     kQuick);
  group.start();
  ASSERT_TRUE(eventually([&] {
    return store()->get(service_key("r", "learner")).ok() && !record("learner").waits.empty();
  }));
  const Heartbeat beat = record("learner");
  EXPECT_TRUE(alive("learner"));
  EXPECT_EQ(beat.pid, ::getpid());
  EXPECT_EQ(beat.state, ServiceState::kRunning);
  EXPECT_EQ(beat.address, "tcp://127.0.0.1:7000");
  EXPECT_EQ(beat.versions.at("policy").now, 42);
  EXPECT_EQ(beat.metrics.at("steps_per_s"), 1234.5);
  EXPECT_EQ(beat.waits[0].reason, "needs 1 item, has 0");
  ASSERT_EQ(beat.problems.size(), 1u);
  EXPECT_EQ(beat.problems[0].text, "full");
  EXPECT_EQ(group.heartbeats()[0].versions.at("policy").now, 42);
  EXPECT_THAT(to_text(status_of("r", group.heartbeats())),
              HasSubstr("learner has a problem with its disk"));
}

TEST_F(ServiceGroupTest, a_drained_service_leaves_a_record_and_no_lease) {
  {
    ServiceGroup group(place(), list_of(idle_service("learner")), kQuick);
    group.start();
    ASSERT_TRUE(eventually([&] { return alive("learner"); }));
  }
  EXPECT_FALSE(alive("learner"));
  EXPECT_EQ(record("learner").state, ServiceState::kDone);
}

// Names
// -----------------------------------------------------------------------------------------------------------------------------

TEST_F(ServiceGroupTest, one_name_twice_in_a_process_is_refused) {
  EXPECT_THROW(ServiceGroup(place(), list_of(idle_service("a"), idle_service("a")), kQuick), Error);
}

TEST_F(ServiceGroupTest, a_name_that_a_living_service_has_is_refused_with_its_process) {
  ServiceGroup first(place(), list_of(idle_service("actor-0")), kQuick);
  first.start();
  ServiceGroup second(place(), list_of(idle_service("actor-0")), kQuick);
  const int64_t start = steady_ns();
  try {
    second.start();
    FAIL() << "the name was given twice";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr(str("service actor-0 of run r is already running as process ", ::getpid(),
                              " on ")));
  }
  EXPECT_LT(seconds_since(start), 1.0);
}

TEST_F(ServiceGroupTest, a_refused_group_gives_back_the_names_that_it_had_taken) {
  ASSERT_TRUE(store()->acquire(service_key("r", "learner"), str("elsewhere:1:99:ab"), 60'000).ok());
  RunServiceOptions options = kQuick;
  options.lease_ms = 60'000;
  const std::string key = service_key("r", "learner");
  std::atomic<bool> stop{false};
  std::thread holder([&] {  // keeps the learner's name alive
    const std::unique_ptr<Store> mine = store();
    while (!stop) {
      (void)mine->acquire(key, "elsewhere:1:99:ab", 200);
      ::usleep(20'000);
    }
  });
  (void)eventually([&] { return store()->find_lease(key)->ttl_ms == 200; });
  ServiceGroup group(place(), list_of(idle_service("actor-0"), idle_service("learner")), options);
  EXPECT_THROW(group.start(), Error);
  EXPECT_FALSE(alive("actor-0"));
  stop = true;
  holder.join();
}

TEST_F(ServiceGroupTest, the_name_of_a_process_that_was_killed_here_is_free_at_once) {
  const pid_t child = ::fork();
  if (child == 0) {
    ServiceGroup group(place(), list_of(idle_service("actor-0")),
                       {.heartbeat_ms = 50, .lease_ms = 60'000, .handle_signals = false});
    group.start();
    ::pause();
  }
  ASSERT_TRUE(eventually([&] { return alive("actor-0"); }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(alive("actor-0")) << "its lease outlives it";
  ServiceGroup group(place(), list_of(idle_service("actor-0")), kQuick);
  const int64_t start = steady_ns();
  group.start();
  EXPECT_LT(seconds_since(start), 0.5);
}

TEST_F(ServiceGroupTest, the_name_of_a_service_elsewhere_is_free_when_its_lease_has_run_out) {
  ASSERT_TRUE(store()->acquire(service_key("r", "actor-0"), "elsewhere:1:99:ab", 400).ok());
  ServiceGroup group(place(), list_of(idle_service("actor-0")), kQuick);
  group.start();
  EXPECT_TRUE(alive("actor-0"));
}

TEST_F(ServiceGroupTest, a_service_whose_name_was_taken_while_it_was_cut_off_stops) {
  ServiceGroup group(place(), list_of(idle_service("actor-0")), kQuick);
  group.start();
  ASSERT_TRUE(eventually([&] { return alive("actor-0"); }));
  const std::unique_ptr<Store> mine = store();
  const std::string key = service_key("r", "actor-0");
  ASSERT_TRUE(mine->release(*mine->find_lease(key)).ok());
  Result<Lease> stolen = mine->acquire(key, "elsewhere:17:99:ab", 60'000);
  while (!stolen.ok()) {
    (void)mine->release(*mine->find_lease(key));
    stolen = mine->acquire(key, "elsewhere:17:99:ab", 60'000);
  }
  ASSERT_TRUE(group.wait(Deadline::after_ms(3000)));
  EXPECT_EQ(group.exit_code(), kExitFailure);
  EXPECT_THAT(group.error(), HasSubstr("already running as process 17 on elsewhere"));
}

// The store goes and comes
// ------------------------------------------------------------------------------------------------------------

TEST_F(ServiceGroupTest, services_outlive_their_store_say_so_and_report_again_when_it_is_back) {
  RedisServer redis;
  RunPlace distributed = place();
  distributed.store = redis.address();
  std::atomic<int64_t> steps{0};
  ServiceGroup group(distributed,
                     list_of(service("actor-0",
                                     [&](ServiceContext& context) {
                                       context.ready();
                                       while (!context.wait_draining(Deadline::after_ms(1)))
                                         ++steps;
                                     })),
                     kQuick);
  group.start();
  const std::unique_ptr<Store> reader =
      std::move(*open_store(redis.address(), {.timeout_ms = 300}));
  const auto text = [&] { return to_text(read_status(*reader, "r").value_or(RunStatus{})); };
  ASSERT_TRUE(eventually([&] { return text().find("actor-0") != std::string::npos; }));

  redis.kill(SIGKILL);
  ASSERT_TRUE(eventually([&] { return !group.heartbeats()[0].problems.empty(); }));
  EXPECT_THAT(group.heartbeats()[0].problems[0].text, HasSubstr("Connection refused"));
  EXPECT_THAT(text(), HasSubstr("the run waits for: the store cannot be reached"));
  const int64_t before = steps;
  EXPECT_TRUE(eventually([&] { return steps > before + 20; })) << "the service goes on";

  redis.start();
  ASSERT_TRUE(eventually(
      [&] { return text().find("the store was out of reach for") != std::string::npos; }, 5000))
      << text();
  EXPECT_TRUE(group.heartbeats()[0].problems.empty());
  EXPECT_THAT(text(), HasSubstr("running"));
}

TEST_F(ServiceGroupTest, services_start_without_their_store_and_register_when_it_comes) {
  RedisServer redis;
  RunPlace distributed = place();
  distributed.store = redis.address();
  redis.kill(SIGKILL);
  ServiceGroup group(distributed, list_of(idle_service("actor-0")), kQuick);
  group.start();
  ASSERT_TRUE(eventually([&] { return group.heartbeats()[0].state == ServiceState::kRunning; }));
  redis.start();
  const std::unique_ptr<Store> reader = std::move(*open_store(redis.address()));
  EXPECT_TRUE(eventually([&] { return reader->find_lease(service_key("r", "actor-0")).ok(); }));
}

TEST_F(ServiceGroupTest, a_store_address_that_can_never_work_is_refused_at_start) {
  RunPlace wrong = place();
  wrong.store = "mysql://x";
  ServiceGroup group(wrong, list_of(idle_service("actor-0")), kQuick);
  EXPECT_THROW(group.start(), Error);
}

}  // namespace
}  // namespace oneagent
