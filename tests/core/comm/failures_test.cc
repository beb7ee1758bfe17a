// Ranks that die, never come, leave, disagree: nobody hangs, and every rank is told the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <numeric>

#include "core/base/clock.h"
#include "core/strand/wait_board.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent::comm {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Failures : public ::testing::TestWithParam<RankRunner> {
 protected:
  // What each rank was told; "" where nothing was wrong.
  std::vector<std::string> errors_of(int n, const std::function<void(Communicator&)>& body,
                                     GroupOptions options = {.deadline_ms = 20'000}) {
    std::vector<std::string> errors(static_cast<size_t>(n));
    try {
      GetParam().run(
          n,
          [&](Communicator& comm) {
            try {
              body(comm);
            } catch (const std::exception& error) {
              errors[comm.rank()] = error.what();
              throw;
            }
          },
          options);
    } catch (const Error& error) {
      thrown_ = error.what();
    }
    return errors;
  }
  std::string thrown_;
};
INSTANTIATE_TEST_SUITE_P(, Failures, ::testing::ValuesIn(rank_runners()),
                         [](const auto& info) { return info.param.name; });

void sum_of(Communicator& comm, size_t count) {
  std::vector<float> data(count, 1);
  comm.all_reduce(data.data(), count, DType::kFloat32, Reduce::kSum);
}

TEST_P(Failures, ARankThatNeverComesIsNamedAtTheDeadline) {
  const int64_t start = steady_ns();
  const auto errors = errors_of(3,
                                [](Communicator& comm) {
                                  for (int i = 0; i < 16; ++i) sum_of(comm, 4);
                                  if (comm.rank() == 0) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
                                    return;
                                  }
                                  if (comm.rank() == 1)
                                    std::this_thread::sleep_for(std::chrono::milliseconds(100));
                                  sum_of(comm, 4);
                                },
                                {.deadline_ms = 700});
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(errors[0], "");
  EXPECT_THAT(errors[2],
              StartsWith("rank 2 waits in all_reduce #17 for rank 0 for more than 700 ms"));
  EXPECT_THAT(errors[1], HasSubstr("waits in all_reduce #17 for rank 0 for more than 700 ms"));
  EXPECT_THAT(thrown_, HasSubstr("for rank 0"));
}

TEST_P(Failures, AMessageThatNeverComesIsNamedAtTheDeadline) {
  const auto errors = errors_of(2,
                                [](Communicator& comm) {
                                  if (comm.rank() == 0) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(400));
                                    return;
                                  }
                                  int value = 0;
                                  comm.receive(&value, sizeof value, 0, 5);
                                },
                                {.deadline_ms = 200});
  EXPECT_THAT(errors[1], StartsWith("rank 1 waits in receive (tag 5) for rank 0 for more than"));
}

TEST_P(Failures, ARankThatLeavesIsNamedAtOnce) {
  const int64_t start = steady_ns();
  const auto errors = errors_of(3, [](Communicator& comm) {
    sum_of(comm, 4);
    if (comm.rank() != 1) sum_of(comm, 4);
  });
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(errors[1], "");
  for (const int rank : {0, 2})
    EXPECT_THAT(errors[rank], AllOf(HasSubstr("waits in all_reduce #2 for rank 1"),
                                    HasSubstr("which has left the group")));
}

TEST_P(Failures, MessagesOfARankThatLeftStillArrive) {
  const auto errors = errors_of(2, [](Communicator& comm) {
    std::vector<int> data(20'000, 7);
    const size_t bytes = data.size() * sizeof(int);
    if (comm.rank() == 0) {
      comm.send(data.data(), 12, 1, 0);
      return comm.send(data.data(), bytes, 1, 1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::fill(data.begin(), data.end(), 0);
    comm.receive(data.data(), bytes, 0, 1);
    comm.receive(data.data(), 12, 0, 0);
    EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0), 140'000);
  });
  EXPECT_THAT(errors, Each(""));
}

TEST_P(Failures, WhatKillsOneRankIsToldToAll) {
  for (const std::string point : {"join", "step"}) {
    const int64_t start = steady_ns();
    std::atomic<int> calls{0};
    GroupOptions options{.deadline_ms = 20'000};
    options.inject = [&](int rank, std::string_view at) {
      if (rank == 2 && at == point && ++calls == 5) throw std::runtime_error("out of memory");
    };
    const auto errors = errors_of(
        4,
        [](Communicator& comm) {
          for (int i = 0; i < 1000; ++i) sum_of(comm, 20'000);
        },
        options);
    EXPECT_LT(seconds_since(start), 5);
    EXPECT_EQ(errors[2], "out of memory");
    for (const int rank : {0, 1, 3})
      EXPECT_EQ(errors[rank], "rank 2 failed in all_reduce: out of memory") << point;
    EXPECT_THAT(thrown_, StartsWith("rank ")) << thrown_;
  }
}

TEST_P(Failures, AbortReachesPartsAndWhole) {
  const auto errors = errors_of(4, [](Communicator& comm) {
    const std::vector<int> pair = {comm.rank() / 2 * 2, comm.rank() / 2 * 2 + 1};
    const auto part = comm.split(pair);
    if (comm.rank() == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      part->abort("the loss is not finite");
      return;
    }
    if (comm.rank() == 2) part->barrier();
    if (comm.rank() == 1) comm.barrier();
    int value;
    if (comm.rank() == 0) comm.receive(&value, sizeof value, 1, 0);
  });
  EXPECT_THAT((std::vector<std::string>(errors.begin(), errors.begin() + 3)),
              Each("the loss is not finite"));
}

TEST_P(Failures, AGroupStaysOver) {
  const auto errors = errors_of(2, [](Communicator& comm) {
    if (comm.rank() == 0) comm.abort("enough");
    EXPECT_THROW(comm.barrier(), Error);
    try {
      sum_of(comm, 3);
      ADD_FAILURE() << "a group that is over reduced";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "enough");
    }
  });
  EXPECT_THAT(errors, Each(""));
}

struct Disagreement {
  std::string expected;
  std::function<void(Communicator&)> body;
};

TEST_P(Failures, RanksThatDisagreeAreAllToldWhoCalledWhat) {
  static const float data[8] = {};
  const std::vector<size_t> two = {2, 2}, more = {2, 3};
  const std::vector<Disagreement> all = {
      {"the ranks disagree at call #1: rank 0 called all_reduce(4 float32, sum), rank 1 called "
       "barrier()",
       [](Communicator& comm) { comm.rank() == 0 ? sum_of(comm, 4) : comm.barrier(); }},
      {"rank 0 called all_reduce(4 float32, sum), rank 1 called all_reduce(5 float32, sum)",
       [](Communicator& comm) { sum_of(comm, comm.rank() == 0 ? 4 : 5); }},
      {"rank 0 called all_reduce(4 float32, sum), rank 1 called all_reduce(8000 float32, sum)",
       [](Communicator& comm) { sum_of(comm, comm.rank() == 0 ? 4 : 8000); }},
      {"rank 0 called all_reduce(8 float32, max), rank 1 called all_reduce(8 int32, max)",
       [](Communicator& comm) {
         std::vector<float> mine(8);
         comm.all_reduce(mine.data(), 8, comm.rank() == 0 ? DType::kFloat32 : DType::kInt32,
                         Reduce::kMax);
       }},
      {"rank 0 called broadcast(8000 float32 from rank 0), rank 1 called broadcast(8000 float32 "
       "from rank 1)",
       [](Communicator& comm) {
         std::vector<float> mine(8000);
         comm.broadcast(mine.data(), 8000, DType::kFloat32, comm.rank());
       }},
      {"rank 0 called all_gather(2, 2 float32), rank 1 called all_gather(2, 3 float32)",
       [&](Communicator& comm) {
         std::vector<float> mine(8);
         comm.all_gather(data, mine.data(), comm.rank() == 0 ? two : more, DType::kFloat32);
       }},
      {"in all_to_all rank 0 sends 3 elements to rank 1, which expects 2",
       [&](Communicator& comm) {
         std::vector<float> mine(8);
         comm.all_to_all(data, comm.rank() == 0 ? more : two, mine.data(), two, DType::kFloat32);
       }},
  };
  for (const Disagreement& one : all) {
    const auto errors = errors_of(2, one.body);
    EXPECT_THAT(errors, Each(HasSubstr(one.expected)));
    EXPECT_EQ(errors[0], errors[1]);
  }
}

TEST_P(Failures, MessagesOfAnotherSizeAreRefused) {
  for (const size_t bytes : {8, 20'000}) {
    const auto errors = errors_of(2, [&](Communicator& comm) {
      std::vector<std::byte> data(30'000);
      if (comm.rank() == 0) {
        comm.send(data.data(), bytes, 1, 3);
        comm.barrier();
      }
      if (comm.rank() == 1) comm.receive(data.data(), 16, 0, 3);
    });
    EXPECT_THAT(errors,
                Each(str("rank 0 sent ", bytes, " bytes with tag 3 to rank 1, which expected 16")));
  }
}

TEST_P(Failures, WrongUseSaysWhatIsRight) {
  errors_of(2, [](Communicator& comm) {
    int value = 0;
    const int me = comm.rank();
    const auto told = [](const std::function<void()>& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(told([&] { comm.send(&value, 4, me, 0); }), HasSubstr("needs another rank"));
    EXPECT_THAT(told([&] { comm.receive(&value, 4, 2, 0); }), HasSubstr("rank of 0 .. 1, was 2"));
    EXPECT_THAT(told([&] { comm.send(&value, 4, 1 - me, -1); }), HasSubstr("tag must be"));
    const std::vector<int> other = {1 - me}, twice = {me, me}, wrong = {me, 5};
    EXPECT_THAT(told([&] { comm.split(other); }), HasSubstr("is not among them"));
    EXPECT_THAT(told([&] { comm.split(twice); }), HasSubstr("is named twice"));
    EXPECT_THAT(told([&] { comm.split(wrong); }), HasSubstr("ranks are 0 .. 1, was 5"));
    comm.barrier();  // nothing of this ends the group
    const std::vector<size_t> one = {1};
    EXPECT_THAT(told([&] { comm.all_gather(&value, &value, one, DType::kInt32); }),
                HasSubstr("needs one count for each of 2 ranks, was given 1"));
  });
}

TEST_P(Failures, WaitsAreOnTheBoard) {
  WaitBoard board;
  std::vector<WaitRow> rows;
  const auto errors = errors_of(
      2,
      [&](Communicator& comm) {
        if (comm.rank() == 0) {
          const Deadline deadline = Deadline::after_ms(5000);
          while (rows.empty() && !deadline.expired()) {
            rows = board.snapshot_longer_than(1);
            std::erase_if(rows, [](const WaitRow& row) { return row.reason == "connect"; });
            std::this_thread::yield();
          }
        }
        comm.barrier();
      },
      {.deadline_ms = 20'000, .board = &board, .name = "learner/"});
  EXPECT_THAT(errors, Each(""));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].waiter, "learner/rank 1");
  EXPECT_EQ(rows[0].holder, "learner/rank 0");
  EXPECT_EQ(rows[0].reason, "barrier #1");
}

}  // namespace
}  // namespace oneagent::comm
