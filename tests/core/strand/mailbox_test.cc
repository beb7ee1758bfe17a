#include "core/strand/mailbox.h"

#include <gtest/gtest.h>

#include <thread>

namespace oneagent {
namespace {

TEST(Mailbox, HandsItemsOverInOrder) {
  WaitBoard board;
  Mailbox<int> mailbox(board, "learner/prefetch", 4);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(mailbox.push(int(i), Deadline::after_ms(0), "replay").ok());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*mailbox.pop(Deadline::after_ms(0)), i);
}

TEST(Mailbox, SaysFullAtTheDeadlineAndKeepsTheValue) {
  WaitBoard board;
  Mailbox<std::string> mailbox(board, "learner/prefetch", 1);
  ASSERT_TRUE(mailbox.try_push("first").ok());
  std::string second = "second";
  const Status status = mailbox.push(std::move(second), Deadline::after_ms(20), "replay");
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_NE(status.message().find("learner/prefetch"), absl::string_view::npos);
  EXPECT_EQ(second, "second");
  EXPECT_TRUE(absl::IsResourceExhausted(mailbox.try_push("third")));
}

TEST(Mailbox, AWriterThatWaitsIsOnTheBoard) {
  WaitBoard board;
  Mailbox<int> mailbox(board, "learner/prefetch", 1);
  ASSERT_TRUE(mailbox.try_push(1).ok());
  std::thread writer(
      [&] { EXPECT_TRUE(mailbox.push(2, Deadline::after_ms(10000), "replay").ok()); });
  while (board.snapshot().empty()) std::this_thread::yield();
  EXPECT_EQ(board.snapshot()[0].waiter, "replay");
  EXPECT_EQ(board.snapshot()[0].holder, "learner/prefetch");
  EXPECT_EQ(*mailbox.pop(), 1);
  writer.join();
  EXPECT_TRUE(board.snapshot().empty());
  EXPECT_EQ(*mailbox.pop(), 2);
}

TEST(Mailbox, ClosedLetsReadersTakeWhatIsInside) {
  WaitBoard board;
  Mailbox<int> mailbox(board, "m", 2);
  ASSERT_TRUE(mailbox.try_push(7).ok());
  mailbox.close();
  EXPECT_TRUE(absl::IsUnavailable(mailbox.try_push(8)));
  EXPECT_EQ(*mailbox.pop(), 7);
  EXPECT_TRUE(absl::IsUnavailable(mailbox.pop().status()));
  EXPECT_TRUE(absl::IsUnavailable(mailbox.pop(Deadline::after_ms(0)).status()));
}

TEST(Mailbox, CloseWakesAReaderAndAWriter) {
  WaitBoard board;
  Mailbox<int> empty(board, "empty", 1), full(board, "full", 1);
  ASSERT_TRUE(full.try_push(1).ok());
  std::thread reader([&] { EXPECT_TRUE(absl::IsUnavailable(empty.pop().status())); });
  std::thread writer(
      [&] { EXPECT_TRUE(absl::IsUnavailable(full.push(2, Deadline::after_ms(60000), "w"))); });
  while (board.snapshot().empty()) std::this_thread::yield();
  empty.close();
  full.close();
  reader.join();
  writer.join();
}

TEST(Mailbox, CarriesEveryItemBetweenManyWritersAndReaders) {
  WaitBoard board;
  Mailbox<int> mailbox(board, "m", 3);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> writers, readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      for (Result<int> item = mailbox.pop(); item.ok(); item = mailbox.pop()) sum += *item;
    });
  for (int w = 0; w < 3; ++w)
    writers.emplace_back([&] {
      for (int i = 1; i <= 1000; ++i)
        ASSERT_TRUE(mailbox.push(int(i), Deadline::after_ms(60000), "w").ok());
    });
  for (auto& writer : writers) writer.join();
  mailbox.close();
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(sum, 3 * 1000 * 1001 / 2);
}

}  // namespace
}  // namespace oneagent
