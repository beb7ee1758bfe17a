// A thousand lives leave nothing behind: no memory, no thread, no descriptor.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "core/base/log.h"
#include "core/service/run_service.h"
#include "tests/core/service/function_service.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasuresMemory = false;  // sanitizers keep freed memory for a while
constexpr int kLives = 100;
#else
constexpr bool kMeasuresMemory = true;
constexpr int kLives = 1000;
#endif

struct Footprint {
  long resident_kib = 0, threads = 0, descriptors = 0;
};

Footprint footprint() {
  Footprint now;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> now.resident_kib;
    if (word == "Threads:") status >> now.threads;
  }
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    now.descriptors += entry.path().empty() ? 0 : 1;
  return now;
}

class SoakTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Both, SoakTest, ::testing::Values("sqlite", "redis"),
                         [](const auto& info) { return info.param; });

void live_once(const RunPlace& place) {
  ServiceGroup group(place, list_of(idle_service("learner"), idle_service("actor-0")),
                     {.heartbeat_ms = 500, .lease_ms = 2000, .handle_signals = false});
  group.start();
  group.drain();
  ASSERT_TRUE(group.wait(Deadline::after_ms(5000)));
}

TEST_P(SoakTest, a_thousand_groups_of_services_leave_no_memory_threads_or_descriptors) {
  set_log_level(LogLevel::kOff);
  TemporaryFolder folder;
  RedisServer redis("no");
  const RunPlace place{
      "r", folder.path(),
      GetParam() == "redis" ? redis.address() : "sqlite:" + (folder.path() / "s").string()};
  const std::unique_ptr<Store> reader = std::move(
      *open_store(place.store));  // as a status display; spares SQLite its clean-up at each close
  ASSERT_TRUE(reader->ping().ok());
  for (int i = 0; i < kLives / 10; ++i) live_once(place);
  const Footprint before = footprint();
  for (int i = 0; i < kLives; ++i) live_once(place);
  const Footprint after = footprint();
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.descriptors, before.descriptors);
  if (kMeasuresMemory) {
    EXPECT_LT(after.resident_kib - before.resident_kib, 1024);
  }
  std::printf("resident %ld KiB before, %ld KiB after %d lives\n", before.resident_kib,
              after.resident_kib, kLives);
}

}  // namespace
}  // namespace oneagent
