#include "core/runtime/segment_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "core/base/clock.h"
#include "core/base/json.h"

namespace oneagent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

void sleep_us(int64_t us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

// Waits for something outside the protocol until the run is given up.
void hang(const Firing& firing) {
  while (!firing.aborted()) sleep_us(500);
}

// A line of `stages` segments over `strands` strands, each adding one; the last notes what comes.
struct Line {
  Line(int stages, int strand_count, int places, int delay_us = 0) : graph("line") {
    std::vector<StrandId> strands;
    for (int i = 0; i < strand_count; ++i) strands.push_back(graph.strand(str("strand", i)));
    for (int i = 0; i + 1 < stages; ++i) {
      slots.push_back(graph.slot(str("slot", i), places));
      values.emplace_back(places, -1);
    }
    for (int i = 0; i < stages; ++i) {
      const auto work = [this, i, stages, delay_us,
                         random = std::mt19937(i)](const Firing& firing) mutable {
        if (delay_us > 0 && random() % 4 == 0) sleep_us(random() % delay_us);
        const int64_t in =
            i == 0 ? firing.index * 100 : values[i - 1][firing.consumed(slots[i - 1])];
        if (i + 1 == stages)
          seen.push_back(in);
        else
          values[i][firing.produced(slots[i])] = in + 1;
      };
      graph.segment(str("segment", i), strands[i % strand_count], work,
                    i == 0 ? std::vector<SlotUse>{} : std::vector<SlotUse>{{slots[i - 1]}},
                    i + 1 == stages ? std::vector<SlotUse>{} : std::vector<SlotUse>{{slots[i]}});
    }
  }

  SegmentGraph graph;
  std::vector<SlotId> slots;
  std::vector<std::vector<int64_t>> values;
  std::vector<int64_t> seen;
};

TEST(SegmentRunner, TokensArriveInOrderWithRandomDelays) {
  for (const int strands : {1, 2, 4}) {
    for (const int places : {1, 2, 5}) {
      WaitBoard board;
      Line line(5, strands, places, 200);
      SegmentRunner runner(line.graph, board, {.give_up_ms = 20000});
      ASSERT_TRUE(runner.run(40).ok());
      ASSERT_TRUE(runner.run(0).ok());
      ASSERT_TRUE(runner.run(20).ok());
      ASSERT_EQ(line.seen.size(), 60u);
      for (int64_t i = 0; i < 60; ++i) EXPECT_EQ(line.seen[i], i * 100 + 4);
      EXPECT_TRUE(board.snapshot().empty());
    }
  }
}

TEST(SegmentRunner, ManyHandOversWithOnePlace) {
  WaitBoard board;
  Line line(4, 2, 1);
  SegmentRunner runner(line.graph, board, {.spin_us = 1, .give_up_ms = 20000});
  ASSERT_TRUE(runner.run(20000).ok());
  ASSERT_EQ(line.seen.size(), 20000u);
  EXPECT_EQ(line.seen.back(), 19999 * 100 + 3);
}

// The reader of a slot that two segments read waits for both before it is filled again.
TEST(SegmentRunner, APlaceIsFreeWhenAllHaveReadIt) {
  WaitBoard board;
  SegmentGraph graph("fan");
  const StrandId a = graph.strand("a"), b = graph.strand("b"), c = graph.strand("c");
  const SlotId slot = graph.slot("x", 2);
  int64_t place[2] = {};
  std::vector<int64_t> fast, slow;
  graph.segment("fill", a, [&](const Firing& f) { place[f.produced(slot)] = f.index; }, {},
                {{slot}});
  graph.segment("fast", b, [&](const Firing& f) { fast.push_back(place[f.consumed(slot)]); },
                {{slot}}, {});
  const auto read_late = [&](const Firing& f) {
    sleep_us(300);
    slow.push_back(place[f.consumed(slot)]);
  };
  graph.segment("slow", c, read_late, {{slot}}, {});
  SegmentRunner runner(graph, board, {.give_up_ms = 20000});
  ASSERT_TRUE(runner.run(100).ok());
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(fast[i], i);
    EXPECT_EQ(slow[i], i);
  }
}

TEST(SegmentRunner, RatesAndAnOrder) {
  WaitBoard board;
  SegmentGraph graph("accumulate");
  const StrandId strand = graph.strand("s");
  const SlotId part = graph.slot("part", 4), back = graph.slot("weights", 2, 1);
  std::string log;
  const SegmentId backward = graph.segment(
      "backward", strand, [&](const Firing& f) { log += str(f.produced(part)); }, {}, {{part}}, 4);
  const SegmentId step = graph.segment("step", strand, [&](const Firing&) { log += "S"; },
                                       {{part, 4}, {back}}, {{back}});
  graph.order(strand, {backward, backward, backward, backward, step});
  SegmentRunner runner(graph, board, {.give_up_ms = 20000});
  ASSERT_TRUE(runner.run(2).ok());
  EXPECT_EQ(log, "0123S0123S");
}

TEST(SegmentRunner, ASegmentThatThrowsIsNamedAndAllStrandsEnd) {
  WaitBoard board;
  SegmentGraph graph("train");
  const StrandId a = graph.strand("disk"), b = graph.strand("compute");
  const SlotId slot = graph.slot("rows", 1);
  int64_t reads = 0;
  bool fails = true;
  graph.segment("read", a, [&](const Firing&) { ++reads; }, {}, {{slot}});
  const auto work = [&](const Firing& firing) {
    if (fails && firing.index == 3) throw std::runtime_error("disk on fire");
  };
  graph.segment("work", b, work, {{slot}}, {});
  SegmentRunner runner(graph, board, {.give_up_ms = 20000});
  const Status status = runner.run(1000);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "graph train: segment work (strand compute, firing 3) failed: disk on fire");
  EXPECT_LE(reads, 6);
  fails = false;  // a run after an error starts from empty slots
  EXPECT_TRUE(runner.run(10).ok());
}

TEST(SegmentRunner, AbortInMidStep) {
  WaitBoard board;
  for (int round = 0; round < 20; ++round) {
    Line line(6, 3, 1, 300);
    SegmentRunner runner(line.graph, board, {.spin_us = round % 2 ? 20 : 0, .give_up_ms = 20000});
    std::thread stopper([&] {
      sleep_us(200 * round);
      runner.abort("the user said so");
    });
    const int64_t start = steady_ns();
    const Status status = runner.run(1'000'000);
    stopper.join();
    EXPECT_LT(seconds_since(start), 5);
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(status.message(), "graph line: aborted: the user said so");
    line.seen.clear();
    EXPECT_TRUE(runner.run(10).ok());
    EXPECT_EQ(line.seen.size(), 10u);
  }
}

TEST(SegmentRunner, TheWatchdogNamesTheSegmentEverybodyWaitsFor) {
  WaitBoard board;
  SegmentGraph graph("loader");
  const StrandId a = graph.strand("disk"), b = graph.strand("compute"), c = graph.strand("log");
  const SlotId rows = graph.slot("rows", 1), loss = graph.slot("loss", 1);
  const auto read = [&](const Firing& firing) {
    if (firing.index == 2) hang(firing);
  };
  graph.segment("read", a, read, {}, {{rows}});
  graph.segment("train", b, {}, {{rows}}, {{loss}});
  graph.segment("print", c, {}, {{loss}}, {});
  SegmentRunner runner(graph, board, {.report_ms = 50, .give_up_ms = 300});
  std::vector<std::string> texts;
  std::thread watcher([&] {  // what `oneagent status` shows meanwhile
    for (int i = 0; i < 500 && texts.size() < 2; ++i, sleep_us(10'000)) {
      texts.clear();
      for (const WaitRow& row : board.snapshot())
        texts.push_back(str(row.waiter, ">", row.holder, ":", row.reason));
      if (!texts.empty() && !::testing::Value(texts, Contains(HasSubstr("loader>")))) texts.clear();
    }
  });
  const int64_t start = steady_ns();
  const Status status = runner.run(100);
  watcher.join();
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("2 of 2 waiters wait for read: print waits for train (slot loss is empty), "
                        "which waits for read (slot rows is empty); read runs (strand disk, firing "
                        "2)"));
  EXPECT_THAT(texts, Contains(HasSubstr("loader>loader/read:2 of 2 waiters wait for read")));
  EXPECT_THAT(texts, Contains("loader/train>loader/read:slot rows is empty"));
}

// Functions that wait for each other outside the protocol, as two ranks in a receive do.
TEST(SegmentRunner, TheWatchdogNamesTheCycle) {
  WaitBoard board;
  SegmentGraph graph("ranks");
  const auto wait_for = [&](std::string self, std::string other) {
    return [&board, self, other](const Firing& firing) {
      WaitScope wait(board, "ranks/" + self, "ranks/" + other, "RECV_F 0");
      hang(firing);
    };
  };
  graph.segment("rank0", graph.strand("0"), wait_for("rank0", "rank1"), {}, {});
  graph.segment("rank1", graph.strand("1"), wait_for("rank1", "rank0"), {}, {});
  SegmentRunner runner(graph, board, {.report_ms = 50, .give_up_ms = 200});
  const Status status = runner.run(1);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("rank0 waits for rank1 (RECV_F 0), which waits for rank0 (RECV_F 0)"));
}

// A function that does not look at aborted(): the run ends all the same, and says who is left.
TEST(SegmentRunner, AFunctionThatDoesNotReturnIsLeftBehind) {
  WaitBoard board;
  SegmentGraph graph("deaf");
  std::atomic<bool> release{false};
  const auto deaf = [&](const Firing&) {
    while (!release) sleep_us(500);
  };
  graph.segment("deaf", graph.strand("s"), deaf, {}, {});
  SegmentRunner runner(graph, board, {.report_ms = 50, .give_up_ms = 100, .leave_ms = 100});
  EXPECT_THAT(std::string(runner.run(1).message()), HasSubstr("still there"));
  EXPECT_EQ(runner.run(1).code(), absl::StatusCode::kUnavailable);
  release = true;
  for (int i = 0; i < 1000; ++i, sleep_us(1000))
    if (runner.run(1).ok()) return;
  FAIL() << "the runner did not recover";
}

TEST(SegmentRunner, TraceShowsWhatRanOnWhichStrand) {
  WaitBoard board;
  Trace trace;
  Line line(2, 2, 2);
  SegmentRunner runner(line.graph, board, {.give_up_ms = 20000, .trace = &trace});
  ASSERT_TRUE(runner.run(5).ok());
  const Json json = Json::parse(trace.to_json());
  int firings = 0;
  for (const Json& event : json["traceEvents"])
    if (event["ph"] == "X" && event["name"] == "segment1") {
      EXPECT_EQ(event["args"]["firing"], firings++);
      EXPECT_GE(event["dur"], 0);
    }
  EXPECT_EQ(firings, 5);
  EXPECT_THAT(trace.to_json(), HasSubstr("line/strand1"));
  EXPECT_EQ(trace.spans("line/strand0").front().name, "segment0");
  trace.clear();
  EXPECT_TRUE(trace.spans("line/strand0").empty());
}

}  // namespace
}  // namespace oneagent
