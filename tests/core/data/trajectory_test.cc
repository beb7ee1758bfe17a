#include "core/data/trajectory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace oneagent::ring {
namespace {

using ::testing::HasSubstr;

// Two steps of two lanes, all well; a test breaks one thing.
struct Parts {
  std::vector<float> observation = {0, 1, 2, 3}, reward = {0, 0, 0, 0};
  std::vector<int32_t> action = {0, 1, 1, 0};
  std::vector<uint8_t> terminated = {0, 0, 0, 0}, truncated = {0, 0, 0, 0}, first = {1, 1, 0, 0},
                       mask = {1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<int32_t> final_row;

  Chunk chunk() const {
    Chunk c;
    c.steps = 2;
    c.lanes = 2;
    c.arrays.add(array_of<float>("observation", {2, 2, 1}, observation));
    c.arrays.add(array_of<int32_t>("action", {2, 2}, action));
    c.arrays.add(array_of<float>("reward", {2, 2}, reward));
    c.arrays.add(array_of<uint8_t>("terminated", {2, 2}, terminated));
    c.arrays.add(array_of<uint8_t>("truncated", {2, 2}, truncated));
    c.arrays.add(array_of<uint8_t>("first", {2, 2}, first));
    c.arrays.add(array_of<uint8_t>("action_mask", {2, 2, 2}, mask));
    if (!final_row.empty()) {
      const std::vector<float> finals(final_row.size(), 9);
      c.arrays.add(
          array_of<int32_t>("final_row", {static_cast<int64_t>(final_row.size())}, final_row));
      c.arrays.add(array_of<float>("final_observation", {static_cast<int64_t>(final_row.size()), 1},
                                   finals));
    }
    return c;
  }
};

TEST(IngestFault, AGoodChunkHasNone) {
  Parts parts;
  parts.truncated[3] = 1;
  parts.final_row = {3};
  EXPECT_EQ(ingest_fault(parts.chunk()), "");
}

TEST(IngestFault, NamesTheArrayThatHoldsANaNOrInfinity) {
  Parts parts;
  parts.observation[2] = std::nanf("");
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("observation holds a NaN"));
  parts.observation[2] = 0;
  parts.reward[0] = INFINITY;
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("reward holds a NaN or infinity"));
}

TEST(IngestFault, NamesStepAndLaneOfAnIllegalAction) {
  Parts parts;
  parts.mask[2 * 3 + 0] = 0;  // row 3 chose action 0
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("action 0 is illegal at step 1, lane 1"));
  parts.mask[6] = 1;
  parts.action[0] = 7;
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("action 7 is illegal at step 0, lane 0"));
}

TEST(IngestFault, ATruncatedStepNeedsItsFinalObservation) {
  Parts parts;
  parts.truncated[1] = 1;
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("has no final observation"));
  parts.final_row = {1};
  parts.terminated[1] = 1;
  EXPECT_THAT(ingest_fault(parts.chunk()), HasSubstr("both terminated and truncated"));
}

TEST(IngestFault, ShapesMustAgreeWithTheChunk) {
  Chunk chunk = Parts().chunk();
  chunk.steps = 3;
  EXPECT_THAT(ingest_fault(chunk), HasSubstr("has shape [2, 2, 1], expected [3, 2"));
  chunk.steps = 0;
  EXPECT_THAT(ingest_fault(chunk), HasSubstr("0 steps"));
  Parts outside;
  outside.final_row = {4};
  EXPECT_THAT(ingest_fault(outside.chunk()), HasSubstr("outside of the chunk"));
}

}  // namespace
}  // namespace oneagent::ring
