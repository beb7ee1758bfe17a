#include "core/base/rng.h"

#include <gtest/gtest.h>

#include <set>

namespace oneagent {
namespace {

// Known answers of Random123 1.14 (kat_vectors, philox4x32 with 10 rounds).
TEST(Rng, PhiloxBlockEqualsThePublishedVectors) {
  EXPECT_EQ(philox_block({0, 0}, {0, 0, 0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      philox_block({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
      (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox_block({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
      (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, AStreamContinuesFromItsSavedStateAtEveryPosition) {
  for (int drawn = 0; drawn < 9; ++drawn) {
    Rng original(7, 3);
    for (int i = 0; i < drawn; ++i) original.next_u32();
    Rng restored(original.state());
    for (int i = 0; i < 10; ++i)
      ASSERT_EQ(original.next_u32(), restored.next_u32()) << "after " << drawn << " draws";
  }
}

TEST(Rng, StreamsWithDifferentIdsDiffer) {
  std::set<uint32_t> first;
  for (uint64_t stream = 0; stream < 100; ++stream) first.insert(Rng(1, stream).next_u32());
  EXPECT_EQ(first.size(), 100u);
}

TEST(Rng, BelowIsUniformAndNeverReachesItsBound) {
  Rng rng(11);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts[rng.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

TEST(Rng, NormalHasMeanZeroAndDeviationOne) {
  Rng rng(5);
  double sum = 0, squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

TEST(Rng, SeedOfDependsOnEveryPartAndOnTheirOrder) {
  EXPECT_NE(seed_of({1, 2}), seed_of({2, 1}));
  EXPECT_NE(seed_of({1, 2, 0}), seed_of({1, 2}));
  EXPECT_NE(seed_of({1}), seed_of({2}));
}

}  // namespace
}  // namespace oneagent
