#include "core/strand/thread_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "core/base/check.h"

namespace oneagent {
namespace {

using Borders = std::set<std::pair<int64_t, int64_t>>;

Borders borders_with(int threads, int64_t count, int64_t chunk) {
  ThreadPool pool(threads);
  std::mutex mutex;
  Borders borders;
  pool.parallel_for(count, chunk, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(borders.emplace(begin, end).second);
  });
  return borders;
}

TEST(ThreadPool, ChunkBordersDoNotDependOnTheNumberOfThreads) {
  const Borders one = borders_with(1, 103, 10);
  EXPECT_EQ(one.size(), 11u);
  EXPECT_TRUE(one.contains({100, 103}));
  EXPECT_EQ(one, borders_with(2, 103, 10));
  EXPECT_EQ(one, borders_with(5, 103, 10));
}

TEST(ThreadPool, RunsEveryIndexOnceInManyShortJobs) {
  ThreadPool pool(3);
  std::vector<int> hits(1000, 0);
  for (int job = 0; job < 2000; ++job)
    pool.parallel_for(1000, 100, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
    });
  for (const int hit : hits) ASSERT_EQ(hit, 2000);
}

TEST(ThreadPool, OneThreadRunsOnTheCaller) {
  ThreadPool pool(1);
  EXPECT_EQ(pool.threads(), 1);
  const auto caller = std::this_thread::get_id();
  pool.parallel_for(10, 1,
                    [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ThreadPool, RethrowsAndStaysUsable) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_for(
                   100, 1, [](int64_t begin, int64_t) { OA_REQUIRE(begin != 40, "chunk 40"); }),
               Error);
  std::atomic<int> ran{0};
  pool.parallel_for(100, 1, [&](int64_t, int64_t) { ++ran; });
  EXPECT_EQ(ran, 100);
}

TEST(ThreadPool, ACallFromInsideABodyRunsInline) {
  ThreadPool pool(2);
  std::atomic<int> ran{0};
  pool.parallel_for(
      8, 1, [&](int64_t, int64_t) { pool.parallel_for(8, 1, [&](int64_t, int64_t) { ++ran; }); });
  EXPECT_EQ(ran, 64);
}

TEST(ThreadPool, RefusesLessThanOneThread) { EXPECT_THROW(ThreadPool(0), Error); }

}  // namespace
}  // namespace oneagent
