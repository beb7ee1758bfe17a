#include "core/service/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::vector<Json> rows(const fs::path& path) {
  std::vector<Json> out;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line, nullptr, false));
  return out;
}

TEST(MetricsFile, writes_one_object_a_line_below_the_run_folder_with_the_time) {
  TemporaryFolder folder;
  MetricsFile file(folder.path(), "learner");
  ASSERT_TRUE(file.write({{"step", 100}, {"loss", 0.5}}).ok());
  ASSERT_TRUE(file.write_always({{"t", 12}, {"step", 200}}).ok());
  const std::vector<Json> written = rows(folder.path() / "metrics" / "learner.jsonl");
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0]["step"], 100);
  EXPECT_GT(written[0]["t"], 1'700'000'000'000);
  EXPECT_EQ(written[1]["t"], 12);
}

TEST(MetricsFile, drops_rows_above_its_rate_and_counts_them_but_never_rare_ones) {
  TemporaryFolder folder;
  MetricsFile file(folder.path(), "actor-0", 1);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(file.write({{"step", i}}).ok());
  ASSERT_TRUE(file.write_always({{"step", 100}}).ok());
  EXPECT_EQ(file.dropped(), 99);
  EXPECT_EQ(rows(file.path()).size(), 2u);
}

TEST(MetricsFile, goes_on_after_a_line_that_a_killed_writer_left_torn) {
  TemporaryFolder folder;
  make_folder(folder.path() / "metrics");
  write_atomic(folder.path() / "metrics" / "learner.jsonl",
               std::string_view("{\"step\":1}\n{\"step\":"));
  MetricsFile file(folder.path(), "learner");
  ASSERT_TRUE(file.write({{"step", 3}}).ok());
  const std::vector<Json> written = rows(file.path());
  ASSERT_EQ(written.size(), 3u);
  EXPECT_TRUE(written[1].is_discarded());
  EXPECT_EQ(written[2]["step"], 3);
}

TEST(MetricsFile, writes_what_is_not_a_number_as_null) {
  TemporaryFolder folder;
  MetricsFile file(folder.path(), "learner");
  ASSERT_TRUE(file.write({{"loss", std::nan("")}, {"text", "\xff"}}).ok());
  EXPECT_TRUE(rows(file.path())[0]["loss"].is_null());
}

TEST(MetricsFile, that_the_disk_refuses_is_a_status_and_the_next_line_is_whole) {
  TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    MetricsFile file(folder.path(), "learner");
    const rlimit limit{100, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const bool refused = !file.write_always({{"text", std::string(200, 'x')}}).ok();
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &none);
    ::_exit(refused && file.write_always({{"step", 7}}).ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(rows(folder.path() / "metrics" / "learner.jsonl").back()["step"], 7);
}

TEST(MetricsFile, that_cannot_be_opened_names_the_path) {
  TemporaryFolder folder;
  write_atomic(folder.path() / "metrics", std::string_view("a file, not a folder"));
  try {
    MetricsFile file(folder.path(), "learner");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder.path() / "metrics").string()));
  }
}

TEST(LatestValues, keep_the_newest_of_each_name_from_any_thread) {
  LatestValues values;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i <= 1000; ++i) values.set(str("thread ", t), i);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(values.snapshot().size(), 4u);
  EXPECT_EQ(values.snapshot().at("thread 3"), 1000);
}

}  // namespace
}  // namespace oneagent
