// Reverb's arithmetic as facts: shared/reference D.3. Limiters are written (samples_per_insert,
// min_size, min_diff, max_diff).
#include "services/replay/rate_limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/check.h"

namespace oneagent {
namespace {

using testing::HasSubstr;

TEST(RateLimiter, SamplesWaitForMinSize) {
  RateLimiter limiter({1, 2, -1, 1});
  EXPECT_FALSE(limiter.can_sample(1));
  limiter.insert(1);
  EXPECT_FALSE(limiter.can_sample(1));
  limiter.insert(1);
  EXPECT_TRUE(limiter.can_sample(1));
}

TEST(RateLimiter, TwoInsertsAtOneAndAHalfAllowSixSamples) {
  RateLimiter limiter({1.5, 1, -3, 3.1});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(limiter.can_insert(1));
    limiter.insert(1);
  }
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(limiter.can_sample(1)) << i;
    limiter.sample(1);
  }
  EXPECT_FALSE(limiter.can_sample(1));
}

TEST(RateLimiter, OneInsertAllowsASampleOfTwoButNotOfThree) {
  RateLimiter limiter({1, 1, -1, 1});
  limiter.insert(1);
  EXPECT_TRUE(limiter.can_sample(1));
  EXPECT_TRUE(limiter.can_sample(2));
  EXPECT_FALSE(limiter.can_sample(3));
}

TEST(RateLimiter, InsertsStopAtMaxDiff) {
  RateLimiter limiter({1.5, 2, 0, 5});
  EXPECT_TRUE(limiter.can_insert(1));
  EXPECT_TRUE(limiter.can_insert(2));
  EXPECT_TRUE(limiter.can_insert(3));
  EXPECT_FALSE(limiter.can_insert(4));
  limiter.insert(3);
  limiter.sample(2);
  EXPECT_TRUE(limiter.can_insert(1));
  EXPECT_FALSE(limiter.can_insert(2));
}

TEST(RateLimiter, RestoredCountsDecideAsBefore) {
  RateLimiter limiter({1, 1, -1, 1});
  limiter.insert(2);
  limiter.sample(1);
  limiter.erase(1);
  const RateLimiter restored(limiter.spec(), limiter.counts());
  for (int n = 1; n < 5; ++n) {
    EXPECT_EQ(restored.can_insert(n), limiter.can_insert(n)) << n;
    EXPECT_EQ(restored.can_sample(n), limiter.can_sample(n)) << n;
  }
}

TEST(RateLimiter, DeletesBelowMinSizeUnblockInsertsAndBlockSamples) {
  RateLimiter limiter({5, 2, 0, 5});
  limiter.insert(2);
  EXPECT_FALSE(limiter.can_insert(1));
  EXPECT_TRUE(limiter.can_sample(1));
  limiter.erase(1);
  EXPECT_TRUE(limiter.can_insert(1));
  EXPECT_FALSE(limiter.can_sample(1));
}

TEST(RateLimiter, RejectsMinSizeAndRatioThatAreNotPositive) {
  EXPECT_THROW(RateLimiter({1, 0, -1, 1}), Error);
  EXPECT_THROW(RateLimiter({1, -1, -1, 1}), Error);
  EXPECT_THROW(RateLimiter({0, 1, -1, 1}), Error);
  EXPECT_THROW(RateLimiter({-1, 1, -1, 1}), Error);
}

TEST(RatioLimiter, ScalarBufferMustBeWideEnough) {
  EXPECT_THROW(ratio_limiter(5, 10, 4), Error);
  EXPECT_THROW(ratio_limiter(.5, 10, .9), Error);
  const ring::LimiterSpec spec = ratio_limiter(.5, 10, 1.1);
  EXPECT_DOUBLE_EQ(spec.min_diff, 3.9);
  EXPECT_DOUBLE_EQ(spec.max_diff, 6.1);
}

TEST(RatioLimiter, RangesThatCanNeverWorkAreRejected) {
  std::string warning;
  EXPECT_THROW(ratio_limiter(5, 10, 8, 12), Error);
  EXPECT_THROW(ratio_limiter(.1, 10, 9.5, 10.5), Error);
  EXPECT_NO_THROW(ratio_limiter(1, 10, 5, 9, &warning));
  EXPECT_THAT(warning, HasSubstr("inserts stop at min_size"));
  warning.clear();
  EXPECT_NO_THROW(ratio_limiter(1, 10, 7, 12, &warning));
  EXPECT_EQ(warning, "");
  EXPECT_THROW(ratio_limiter(1, 10, 11, 15), Error);
  EXPECT_THROW(ratio_limiter(1, 0, 7, 12), Error);
}

TEST(RateLimiter, SaysInWordsWhoMustMove) {
  RateLimiter limiter({1, 1, 0, 2});
  EXPECT_EQ(limiter.sample_wait(1), "limiter: needs 1 item, has 0; actors must insert");
  limiter.insert(2);
  EXPECT_EQ(limiter.insert_wait(1),
            "limiter: 2 + 1 inserts x 1 - 0 samples = 3, at most 2; the learner must sample");
  EXPECT_EQ(limiter.sample_wait(1), "");
}

// reverb#118: 100,073 inserts x 256 - 25,503,488 samples = exactly min_diff 115,200: not one more
// sample until something inserts.
TEST(RateLimiter, PredictsTheFirstSampleAfterARestore) {
  const LimiterCounts counts{100073, 25503488, 0};
  EXPECT_EQ(RateLimiter({256, 1000, 115200, 396800}, counts).prediction(),
            "first sample after 1 more inserts");
  EXPECT_EQ(RateLimiter({256, 1000, 0, 396800}, counts).prediction(), "first sample now");
}

TEST(RateLimiter, KnowsSamplesThatCanNeverBeAllowed) {
  const RateLimiter queue(ring::LimiterSpec::queue(10));
  EXPECT_TRUE(queue.can_ever_sample(10));
  EXPECT_FALSE(queue.can_ever_sample(11));
}

}  // namespace
}  // namespace oneagent
