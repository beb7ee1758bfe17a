#include "core/strand/strand.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/check.h"

namespace oneagent {
namespace {

TEST(Strand, RunsOneMessageAtATimeInOrder) {
  WaitBoard board;
  std::vector<int> seen;
  Strand strand(board, "worker", 8);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(
        strand.post([&seen, i] { seen.push_back(i); }, Deadline::after_ms(10000), "test").ok());
  strand.stop();
  ASSERT_EQ(seen.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(Strand, DestructionRunsWhatIsInside) {
  WaitBoard board;
  int ran = 0;
  {
    Strand strand(board, "worker");
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(strand.try_post([&] { ++ran; }).ok());
  }
  EXPECT_EQ(ran, 10);
}

TEST(Strand, AMessageThatThrowsEndsItAndReachesTheOwner) {
  WaitBoard board;
  Strand strand(board, "worker");
  ASSERT_TRUE(strand.try_post([] { throw_error("bad batch"); }).ok());
  while (!absl::IsUnavailable(strand.try_post([] {}))) std::this_thread::yield();
  EXPECT_TRUE(strand.failure());
  EXPECT_THROW(strand.stop(), Error);
}

TEST(Strand, RefusesWorkOnceStopped) {
  WaitBoard board;
  Strand strand(board, "worker");
  strand.stop();
  EXPECT_TRUE(absl::IsUnavailable(strand.try_post([] {})));
}

}  // namespace
}  // namespace oneagent
