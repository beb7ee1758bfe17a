#include "core/strand/wait_board.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace oneagent {
namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(WaitBoard, ShowsAWaitWhileItLasts) {
  WaitBoard board;
  {
    WaitScope wait(board, "learner", "replay/rollout", "needs 1 item, has 0");
    const std::vector<WaitRow> rows = board.snapshot();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].waiter, "learner");
    EXPECT_EQ(rows[0].holder, "replay/rollout");
    EXPECT_EQ(rows[0].reason, "needs 1 item, has 0");
    EXPECT_GT(rows[0].since_ms, 1'600'000'000'000);
  }
  EXPECT_TRUE(board.snapshot().empty());
}

TEST(WaitBoard, SaysItInWords) {
  EXPECT_EQ(to_text({"learner", "replay/rollout", "needs 1 item, has 0", 0, 2345}),
            "learner waits for replay/rollout: needs 1 item, has 0 (for 2.3 s)");
}

TEST(WaitBoard, UpdatesTheReason) {
  WaitBoard board;
  WaitScope wait(board, "learner", "replay", "has 0");
  wait.update("has 1");
  EXPECT_EQ(board.snapshot()[0].reason, "has 1");
}

TEST(WaitBoard, ALoopOfShortWaitsShowsAsOneLongWait) {
  WaitBoard board;
  for (int i = 0; i < 4; ++i) {
    WaitScope wait(board, "actor-0", "learner", "needs version 3");
    sleep_ms(20);
    wait.expired();
  }
  ASSERT_EQ(board.snapshot().size(), 1u);
  EXPECT_GE(board.snapshot()[0].waited_ms, 80);
}

TEST(WaitBoard, AWaitThatSucceededDoesNotContinue) {
  WaitBoard board;
  {
    WaitScope wait(board, "actor-0", "learner", "x");
    sleep_ms(50);
  }
  WaitScope wait(board, "actor-0", "learner", "x");
  EXPECT_LT(board.snapshot()[0].waited_ms, 50);
}

TEST(WaitBoard, LongestWaitComesFirstAndShortOnesCanBeLeftOut) {
  WaitBoard board;
  WaitScope older(board, "a", "b", "x");
  sleep_ms(30);
  WaitScope newer(board, "c", "d", "y");
  ASSERT_EQ(board.snapshot().size(), 2u);
  EXPECT_EQ(board.snapshot()[0].waiter, "a");
  ASSERT_EQ(board.snapshot_longer_than(25).size(), 1u);
  EXPECT_EQ(board.snapshot_longer_than(25)[0].waiter, "a");
}

}  // namespace
}  // namespace oneagent
