#include "core/runtime/segment_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/runtime/wait_graph.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SegmentGraph, ACycleNeedsATokenAndCredits) {
  const auto ring = [](int full, int places) {
    SegmentGraph graph("ring");
    const StrandId strand = graph.strand("s");
    const SlotId there = graph.slot("there", places), back = graph.slot("back", places, full);
    graph.segment("a", strand, {}, {{back}}, {{there}});
    graph.segment("b", strand, {}, {{there}}, {{back}});
    return error_of([&] { graph.compile(); });
  };
  EXPECT_EQ(ring(1, 1), "");
  EXPECT_EQ(ring(0, 1),
            "graph ring: can't finish a step: a waits for b (slot back is empty), which waits for "
            "a (slot there is empty); give one of these slots more places, or a token from the "
            "start");
}

// A reader that joins a short way and one that takes four tokens: the short way needs four places.
TEST(SegmentGraph, AShortWayBesideALongOneNeedsCredits) {
  const auto join = [](int places) {
    SegmentGraph graph("join");
    const StrandId strand = graph.strand("s");
    const SlotId direct = graph.slot("direct", places), all = graph.slot("all", 4);
    const SlotId sum = graph.slot("sum", 1);
    graph.segment("part", strand, {}, {}, {{direct}, {all}}, 4);
    graph.segment("add", strand, {}, {{all, 4}}, {{sum}});
    graph.segment("use", strand, {}, {{direct, places < 4 ? 2 : 4}, {sum}}, {}, places < 4 ? 2 : 1);
    return error_of([&] { graph.compile(); });
  };
  EXPECT_EQ(join(4), "");
  EXPECT_THAT(join(2), HasSubstr("slot sum: in a step add fills 1 places and use takes 2"));
}

TEST(SegmentGraph, TooFewPlacesAreNamedWithTheCycle) {
  const auto diamond = [](int places) {
    SegmentGraph graph("diamond");
    const StrandId strand = graph.strand("s");
    const SlotId direct = graph.slot("direct", places), all = graph.slot("all", 2);
    graph.segment("part", strand, {}, {}, {{direct}, {all}}, 2);
    const SlotId sums = graph.slot("sums", 2);
    graph.segment("add", strand, {}, {{all, 2}}, {{sums, 2}});
    graph.segment("use", strand, {}, {{direct}, {sums}}, {}, 2);
    return error_of([&] { graph.compile(); });
  };
  EXPECT_EQ(diamond(2), "");
  EXPECT_THAT(diamond(1), HasSubstr("part waits for use (slot direct is full, places 1), which "
                                    "waits for add (slot sums is empty), which waits for part "
                                    "(slot all is empty)"));
}

TEST(SegmentGraph, AnOrderIsPartOfTheCheck) {
  const auto ordered = [](bool first_a) {
    SegmentGraph graph("ordered");
    const StrandId strand = graph.strand("s");
    const SlotId slot = graph.slot("x", 1);
    const SegmentId a = graph.segment("a", strand, {}, {}, {{slot}});
    const SegmentId b = graph.segment("b", strand, {}, {{slot}}, {});
    graph.order(strand, first_a ? std::vector{a, b} : std::vector{b, a});
    return error_of([&] { graph.compile(); });
  };
  EXPECT_EQ(ordered(true), "");
  EXPECT_THAT(ordered(false), HasSubstr("a waits for b (strand s fires it first), which waits for "
                                        "a (slot x is empty)"));
}

TEST(SegmentGraph, WrongDeclarationsAreNamed) {
  SegmentGraph graph("g");
  const StrandId strand = graph.strand("s");
  const SlotId slot = graph.slot("x", 2);
  EXPECT_EQ(error_of([&] { graph.compile(); }), "graph g: has no segments");
  EXPECT_THAT(error_of([&] { graph.slot("y", 0); }), HasSubstr("at least one place, was 0"));
  EXPECT_THAT(error_of([&] { graph.slot("x", 1); }), HasSubstr("two slots are called x"));
  const SegmentId a = graph.segment("a", strand, {}, {}, {{slot}});
  EXPECT_THAT(error_of([&] { graph.compile(); }), HasSubstr("slot x: nobody reads it"));
  EXPECT_THAT(error_of([&] { graph.segment("b", strand, {}, {}, {{slot}}); }),
              HasSubstr("both a and b fill it"));
  EXPECT_THAT(error_of([&] {
                graph.segment("c", strand, {}, {{slot, 3}}, {});
              }),
              HasSubstr("has 2 places, so a firing can't move 3"));
  graph.segment("d", strand, {}, {{slot}}, {}, 2);
  EXPECT_THAT(error_of([&] { graph.compile(); }),
              HasSubstr("slot x: in a step a fills 1 places and d takes 2"));
  graph.order(strand, {a, a});
  SegmentGraph other("h");
  EXPECT_THAT(error_of([&] { other.order(strand, {a}); }), HasSubstr("no strand number 0"));
}

TEST(SegmentGraph, ChecksTenThousandSegmentsInUnderASecond) {
  SegmentGraph graph("long");
  StrandId strands[] = {graph.strand("0"), graph.strand("1")};
  SlotId last;
  for (int i = 0; i < 10000; ++i) {
    const SlotId next = i == 9999 ? SlotId{} : graph.slot(std::to_string(i), 1);
    graph.segment(std::to_string(i), strands[i % 2], {},
                  i == 0 ? std::vector<SlotUse>{} : std::vector<SlotUse>{{last}},
                  i == 9999 ? std::vector<SlotUse>{} : std::vector<SlotUse>{{next}});
    last = next;
  }
  const double start = cpu_seconds();
  graph.compile();
  EXPECT_LT(cpu_seconds() - start, 1);
}

TEST(WaitGraph, ACycleComesBeforeACrowd) {
  const std::vector<Wait> waits = {{"x", "a", "first"}, {"a", "b", "one"}, {"b", "a", "two"}};
  EXPECT_EQ(describe_waits(waits), "a waits for b (one), which waits for a (two)");
  EXPECT_EQ(waited_for(waits), "");
}

TEST(WaitGraph, TheOneEverybodyWaitsFor) {
  const std::vector<Wait> waits = {{"train", "decode", "rows"},
                                   {"decode", "read", "bytes"},
                                   {"log", "train", "loss"},
                                   {"other", "clock", "tick"}};
  EXPECT_EQ(describe_waits(waits),
            "3 of 4 waiters wait for read: log waits for train (loss), which waits for decode "
            "(rows), which waits for read (bytes)");
  EXPECT_EQ(waited_for(waits), "read");
  EXPECT_EQ(describe_waits({}), "");
}

}  // namespace
}  // namespace oneagent
