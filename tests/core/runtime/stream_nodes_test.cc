#include "core/runtime/stream_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/runtime/segment_runner.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::string file_of(const std::string& text) {
  const std::string path = ::testing::TempDir() + "/records-" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StreamNodes, ReadDecodeCopyUse) {
  const std::string path = file_of("headAAAABBBBCCCCx");  // the x is no whole record
  const RecordFile file(path, 4, 4);
  EXPECT_EQ(file.records(), 3);
  SegmentGraph graph("loader");
  const ByteRing bytes = add_read(graph, "read", file.source(), 4, 2);
  const auto twice = [](std::span<const std::byte> in, std::span<std::byte> out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = in[i / 2];
  };
  const ByteRing rows = add_decode(graph, "decode", bytes, twice, 8, 2);
  const ByteRing copies = add_copy(graph, "copy", rows, 1);
  std::string seen;
  const auto use = [&](const Firing& firing) {
    const auto row = copies.consumed(firing);
    seen.append(reinterpret_cast<const char*>(row.data()), row.size());
  };
  graph.segment("use", graph.strand("compute"), use, {{copies.slot}}, {});
  WaitBoard board;
  SegmentRunner runner(graph, board, {.give_up_ms = 20000});
  ASSERT_TRUE(runner.run(4).ok());
  EXPECT_EQ(seen, "AAAAAAAABBBBBBBBCCCCCCCCAAAAAAAA");
  std::remove(path.c_str());
}

TEST(StreamNodes, AnOrderOfRecordsAndWhatIsWrongWithFiles) {
  const std::string path = file_of("aabbcc");
  const RecordFile file(path, 2);
  const RecordSource source = file.source({2, 0});
  char record[3] = {};
  for (int i = 0; i < 3; ++i) {
    source(i, std::as_writable_bytes(std::span(record, 2)));
    EXPECT_EQ(std::string(record), i % 2 ? "aa" : "cc");
  }
  EXPECT_THAT(error_of([&] { (void)file.source({3}); }), HasSubstr("no record 3, it has 3"));
  EXPECT_THAT(error_of([&] { RecordFile(path + ".none", 2); }),
              HasSubstr("can't open it: No such"));
  EXPECT_THAT(error_of([&] { RecordFile(path, 4, 4); }),
              HasSubstr("has 6 bytes, too few for a header of 4 and a record of 4"));
  // Cut short behind our back: the run ends with the file's name.
  std::ofstream(path, std::ios::binary) << "aabb";
  SegmentGraph graph("loader");
  const ByteRing bytes = add_read(graph, "read", file.source(), 2, 2);
  graph.segment("use", graph.strand("compute"), {}, {{bytes.slot}}, {});
  WaitBoard board;
  SegmentRunner runner(graph, board, {.give_up_ms = 20000});
  EXPECT_THAT(std::string(runner.run(3).message()),
              HasSubstr("segment read (strand read, firing 2) failed: records of " + path +
                        ": ends in record 2"));
  std::remove(path.c_str());
}

constexpr int kSteps = 25;
constexpr int64_t kReadMs = 8, kComputeMs = 10;

struct Timing {
  double step_ms = 0, read_ms = 0, compute_ms = 0;  // means; a busy machine lengthens sleeps, too
  int overlaps = 0;  // steps in which a read was in progress while compute ran
};

// A source that needs 8 ms a record, a computation of 10 ms.
Timing throttled(int places) {
  SegmentGraph graph("loader");
  const auto read = [](int64_t, std::span<std::byte>) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kReadMs));
  };
  const ByteRing rows = add_read(graph, "read", read, 64, places);
  const auto compute = [](const Firing&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kComputeMs));
  };
  graph.segment("compute", graph.strand("compute"), compute, {{rows.slot}}, {});
  WaitBoard board;
  Trace trace;
  SegmentRunner runner(graph, board, {.give_up_ms = 20000, .trace = &trace});
  const int64_t start = steady_ns();
  EXPECT_TRUE(runner.run(kSteps).ok());
  Timing timing{seconds_since(start) * 1000 / kSteps};
  std::vector<TraceSpan> reads = trace.spans("loader/read"), steps = trace.spans("loader/compute");
  std::erase_if(reads, [](const TraceSpan& span) { return span.name != "read"; });
  std::erase_if(steps, [](const TraceSpan& span) { return span.name != "compute"; });
  const auto mean_ms = [](const std::vector<TraceSpan>& spans) {
    int64_t ns = 0;
    for (const TraceSpan& span : spans) ns += span.end_ns - span.begin_ns;
    return static_cast<double>(ns) * 1e-6 / kSteps;
  };
  timing.read_ms = mean_ms(reads);
  timing.compute_ms = mean_ms(steps);
  for (const TraceSpan& step : steps)
    timing.overlaps += std::any_of(reads.begin(), reads.end(), [&](const TraceSpan& other) {
      return other.begin_ns < step.end_ns && other.end_ns > step.begin_ns;
    });
  return timing;
}

// The best of a few: other programs of a busy machine keep strands from going on in time.
template <class Expected>
Timing best_of(int places, double limit, Expected expected_ms) {
  Timing best = throttled(places);
  for (int i = 0; i < 10 && best.step_ms > limit * expected_ms(best); ++i) {
    const Timing next = throttled(places);
    if (next.step_ms / expected_ms(next) < best.step_ms / expected_ms(best)) best = next;
  }
  return best;
}

TEST(StreamNodes, TwoPlacesHideTheFasterNode) {
  const auto slower_ms = [](const Timing& t) { return std::max(t.read_ms, t.compute_ms); };
  const Timing timing = best_of(2, 1.1, slower_ms);
  EXPECT_LE(timing.step_ms, 1.1 * slower_ms(timing));
  EXPECT_GE(timing.overlaps, kSteps - 3);
}

TEST(StreamNodes, OnePlaceMakesThemTakeTurns) {
  const auto both_ms = [](const Timing& t) { return t.read_ms + t.compute_ms; };
  const Timing timing = best_of(1, 1.1, both_ms);
  EXPECT_GE(timing.step_ms, both_ms(timing));
  EXPECT_LE(timing.step_ms, 1.1 * both_ms(timing));
  EXPECT_EQ(timing.overlaps, 0);
}

}  // namespace
}  // namespace oneagent
