#include "core/comm/rendezvous.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/base/check.h"
#include "tests/core/comm/rank_runners.h"
#include "tests/support/temporary_folder.h"

namespace oneagent::comm {
namespace {

void hands_over(Rendezvous& one, Rendezvous& other) {
  const std::string key = rendezvous_key("run-7", 3, "world", 2);
  EXPECT_EQ(key, "run-7/3/world/2");
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(one.put(key, std::string("a\0b", 3)).ok());
  });
  const Result<std::string> value = other.wait(key, Deadline::after_ms(10'000));
  writer.join();
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(*value, std::string("a\0b", 3));
  EXPECT_EQ(*other.wait(key, Deadline::after_ms(0)), *value);
  const Result<std::string> next =
      other.wait(rendezvous_key("run-7", 4, "world", 2), Deadline::after_ms(10));
  EXPECT_TRUE(absl::IsDeadlineExceeded(next.status())) << "an older incarnation was met";
}

TEST(Rendezvous, InMemory) {
  MemoryRendezvous rendezvous;
  hands_over(rendezvous, rendezvous);
}

TEST(Rendezvous, InAFolder) {
  TemporaryFolder folder;
  FileRendezvous one(folder.path()), other(folder.path());
  hands_over(one, other);
}

TEST(Rendezvous, RefusesNamesThatWouldLeaveTheirPlace) {
  EXPECT_THROW(rendezvous_key("../run", 0, "world", 0), Error);
  EXPECT_THROW(rendezvous_key("run", 0, "a/b", 0), Error);
}

TEST(Rendezvous, AProcessThatNeverComesIsNamed) {
  // Debian's libgloo is not built with ThreadSanitizer, which reports races inside of it.
  if (!kGloo) GTEST_SKIP() << "libgloo under ThreadSanitizer";
  MemoryRendezvous rendezvous;
  GlooOptions options;
  options.options.deadline_ms = 100;
  try {
    make_gloo_communicator(1, 2, rendezvous, options);
    ADD_FAILURE() << "connected to nobody";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "rank 1 waits in connect for rank 0 for more than 100 ms");
  }
}

}  // namespace
}  // namespace oneagent::comm
