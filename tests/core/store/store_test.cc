// What both stores promise: every case runs on SQLite and on a private Redis.
#include "core/store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class StoreTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    if (GetParam() == "sqlite") {
      address_ = "sqlite:" + (folder_.path() / "store.sqlite").string();
    } else {
      if (server_ == nullptr) server_ = std::make_unique<RedisServer>();
      address_ = server_->address(database_++);
    }
    store_ = open();
  }
  std::unique_ptr<Store> open(int timeout_ms = 2000) {
    Result<std::unique_ptr<Store>> store = open_store(address_, {.timeout_ms = timeout_ms});
    EXPECT_TRUE(store.ok()) << store.status();
    return std::move(*store);
  }
  static void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

  TemporaryFolder folder_;
  std::string address_;
  std::unique_ptr<Store> store_;
  static inline std::unique_ptr<RedisServer> server_;
  static inline int database_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Both, StoreTest, ::testing::Values("sqlite", "redis"),
                         [](const auto& info) { return info.param; });

// Keys
// ------------------------------------------------------------------------------------------------------------------------------

TEST_P(StoreTest, a_key_reads_back_with_the_version_of_its_last_write) {
  const int64_t first = store_->put("a", "one").value();
  const int64_t second = store_->put("a", "two").value();
  EXPECT_GT(second, first);
  EXPECT_EQ(store_->get("a")->value, "two");
  EXPECT_EQ(store_->get("a")->version, second);
}

TEST_P(StoreTest, a_missing_key_is_not_found) {
  EXPECT_TRUE(absl::IsNotFound(store_->get("nothing").status()));
  EXPECT_TRUE(absl::IsNotFound(store_->erase("nothing")));
}

TEST_P(StoreTest, keys_and_values_are_bytes) {
  const std::string key("k\0\n\xff", 4), value("\0\1\2 %s \xff\xfe", 9);
  ASSERT_TRUE(store_->put(key, value).ok());
  EXPECT_EQ(store_->get(key)->value, value);
  EXPECT_EQ(store_->list(key)->at(0).key, key);
  ASSERT_TRUE(store_->put("empty", "").ok());
  EXPECT_EQ(store_->get("empty")->value, "");
}

TEST_P(StoreTest, a_value_of_eight_mebibytes_fits_and_one_byte_more_is_the_callers_mistake) {
  const std::string value(kMaxValueBytes, 'x');
  ASSERT_TRUE(store_->put("big", value).ok());
  EXPECT_EQ(store_->get("big")->value, value);
  EXPECT_THROW((void)store_->put("big", value + "x"), Error);
  EXPECT_THROW((void)store_->put("", "x"), Error);
  EXPECT_THROW((void)store_->get(std::string(kMaxKeyBytes + 1, 'k')), Error);
}

TEST_P(StoreTest, compare_and_set_writes_only_over_the_expected_version) {
  const int64_t first = store_->compare_and_set("a", "one", kAbsent).value();
  const int64_t second = store_->compare_and_set("a", "two", first).value();
  const Result<int64_t> late = store_->compare_and_set("a", "three", first);
  EXPECT_TRUE(absl::IsAborted(late.status()));
  EXPECT_THAT(std::string(late.status().message()),
              HasSubstr("should have version " + std::to_string(first) + ", but it has version " +
                        std::to_string(second)));
  EXPECT_TRUE(absl::IsAborted(store_->compare_and_set("a", "three", kAbsent).status()));
  EXPECT_TRUE(absl::IsAborted(store_->compare_and_set("b", "three", 7).status()));
  EXPECT_EQ(store_->get("a")->value, "two");
}

TEST_P(StoreTest, a_key_that_was_erased_and_made_again_does_not_look_unchanged) {
  const int64_t first = store_->put("a", "one").value();
  ASSERT_TRUE(store_->erase("a", first).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->get("a").status()));
  EXPECT_GT(store_->put("a", "one").value(), first);
  EXPECT_TRUE(absl::IsAborted(store_->compare_and_set("a", "two", first).status()));
}

TEST_P(StoreTest, erase_with_another_version_is_a_conflict) {
  const int64_t first = store_->put("a", "one").value();
  const int64_t second = store_->put("a", "two").value();
  EXPECT_TRUE(absl::IsAborted(store_->erase("a", first)));
  EXPECT_TRUE(store_->erase("a", second).ok());
}

TEST_P(StoreTest, list_gives_the_keys_with_a_prefix_in_byte_order) {
  for (const char* key :
       {"runs/b/2", "runs/a/2", "runs/a/10", "runs/a/1", "runs", "runs/a", "runs/a\xff"})
    ASSERT_TRUE(store_->put(key, std::string("value of ") + key).ok());
  const std::vector<StoreEntry> entries = store_->list("runs/a/").value();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].key, "runs/a/1");
  EXPECT_EQ(entries[1].key, "runs/a/10");
  EXPECT_EQ(entries[2].key, "runs/a/2");
  EXPECT_EQ(entries[2].value, "value of runs/a/2");
  EXPECT_EQ(entries[2].version, store_->get("runs/a/2")->version);
  EXPECT_EQ(store_->list("")->size(), 7u);
}

TEST_P(StoreTest, list_goes_on_after_a_key) {
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(store_->put(str("k/", i), "v").ok());
  std::vector<std::string> seen;
  std::string after;
  while (true) {
    const std::vector<StoreEntry> page = store_->list("k/", 10, after).value();
    for (const StoreEntry& entry : page) seen.push_back(entry.key);
    if (page.size() < 10) break;
    after = page.back().key;
  }
  EXPECT_EQ(seen.size(), 25u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

// Streams
// ---------------------------------------------------------------------------------------------------------------------------

TEST_P(StoreTest, a_stream_keeps_its_order_and_is_read_from_a_cursor) {
  for (int i = 1; i <= 5; ++i) EXPECT_EQ(store_->append("log", str("line ", i)).value(), i);
  const std::vector<StreamItem> items = store_->read("log", 2, 2).value();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].cursor, 3);
  EXPECT_EQ(items[0].value, "line 3");
  EXPECT_EQ(items[1].cursor, 4);
  EXPECT_TRUE(store_->read("log", 5, 10)->empty());
  EXPECT_TRUE(store_->read("unknown", 0, 10)->empty());
}

TEST_P(StoreTest, an_append_repeated_with_its_operation_id_adds_nothing) {
  EXPECT_EQ(store_->append("log", "a", "op-1").value(), 1);
  EXPECT_EQ(store_->append("log", "b", "op-2").value(), 2);
  EXPECT_EQ(store_->append("log", "a", "op-1").value(), 1);
  EXPECT_EQ(store_->read("log", 0, 10)->size(), 2u);
  EXPECT_EQ(store_->append("other", "a", "op-1").value(), 1) << "ids belong to one stream";
}

TEST_P(StoreTest, a_trimmed_stream_forgets_its_head_and_keeps_counting) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(store_->append("log", "x").ok());
  ASSERT_TRUE(store_->trim("log", 3).ok());
  ASSERT_EQ(store_->read("log", 0, 10)->size(), 2u);
  EXPECT_EQ(store_->read("log", 0, 10)->at(0).cursor, 4);
  ASSERT_TRUE(store_->trim("log", 5).ok());
  EXPECT_EQ(store_->append("log", "y").value(), 6);
}

// Leases
// ----------------------------------------------------------------------------------------------------------------------------

TEST_P(StoreTest, a_held_lease_is_refused_with_the_holders_name) {
  const Lease lease = store_->acquire("learner", "host-1:12", 5000).value();
  const Result<Lease> second = store_->acquire("learner", "host-2:99", 5000);
  EXPECT_TRUE(absl::IsAborted(second.status()));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("held by host-1:12"));
  const Lease seen = store_->find_lease("learner").value();
  EXPECT_EQ(seen.owner, "host-1:12");
  EXPECT_EQ(seen.token, lease.token);
  EXPECT_GT(seen.left_ms, 3000);
  EXPECT_LE(seen.left_ms, 5000);
}

TEST_P(StoreTest, acquiring_again_as_the_same_owner_renews_the_lease) {
  const Lease first = store_->acquire("learner", "me", 300).value();
  sleep_ms(200);
  EXPECT_EQ(store_->acquire("learner", "me", 300)->token, first.token);
  sleep_ms(200);
  EXPECT_TRUE(store_->find_lease("learner").ok());
}

TEST_P(StoreTest, a_lease_ends_by_itself_and_passes_to_the_next_with_a_higher_token) {
  const Lease first = store_->acquire("learner", "one", 100).value();
  sleep_ms(150);
  EXPECT_TRUE(absl::IsNotFound(store_->find_lease("learner").status()));
  EXPECT_TRUE(absl::IsNotFound(store_->keepalive(first)));
  const Lease second = store_->acquire("learner", "two", 1000).value();
  EXPECT_GT(second.token, first.token);
  EXPECT_TRUE(absl::IsNotFound(store_->keepalive(first))) << "the old holder learns that it lost";
  EXPECT_TRUE(absl::IsNotFound(store_->release(first)));
  EXPECT_TRUE(store_->find_lease("learner").ok());
}

TEST_P(StoreTest, keepalive_prolongs_a_lease_and_its_keys) {
  const Lease lease = store_->acquire("learner", "me", 300).value();
  ASSERT_TRUE(store_->put("beat", "1", &lease).ok());
  for (int i = 0; i < 4; ++i) {
    sleep_ms(150);
    ASSERT_TRUE(store_->keepalive(lease).ok());
  }
  EXPECT_EQ(store_->get("beat")->value, "1");
}

TEST_P(StoreTest, keys_vanish_with_their_lease) {
  const Lease lease = store_->acquire("learner", "me", 150).value();
  ASSERT_TRUE(store_->put("beat/a", "1", &lease).ok());
  ASSERT_TRUE(store_->put("beat/b", "2").ok());
  EXPECT_EQ(store_->list("beat/")->size(), 2u);
  sleep_ms(250);
  EXPECT_TRUE(absl::IsNotFound(store_->get("beat/a").status()));
  ASSERT_EQ(store_->list("beat/")->size(), 1u);
  EXPECT_EQ(store_->list("beat/", 1)->at(0).key, "beat/b");
  EXPECT_TRUE(store_->compare_and_set("beat/a", "3", kAbsent).ok());
}

TEST_P(StoreTest, release_takes_the_lease_and_its_keys_away_at_once) {
  const Lease lease = store_->acquire("learner", "me", 60'000).value();
  ASSERT_TRUE(store_->put("beat", "1", &lease).ok());
  ASSERT_TRUE(store_->release(lease).ok());
  EXPECT_TRUE(absl::IsNotFound(store_->get("beat").status()));
  EXPECT_TRUE(store_->acquire("learner", "next", 1000).ok());
}

TEST_P(StoreTest, a_key_written_without_the_lease_no_longer_depends_on_it) {
  const Lease lease = store_->acquire("learner", "me", 60'000).value();
  ASSERT_TRUE(store_->put("beat", "1", &lease).ok());
  ASSERT_TRUE(store_->put("beat", "2").ok());
  ASSERT_TRUE(store_->keepalive(lease).ok());
  ASSERT_TRUE(store_->release(lease).ok());
  EXPECT_EQ(store_->get("beat")->value, "2");
}

TEST_P(StoreTest, a_write_under_an_ended_lease_is_a_conflict) {
  const Lease lease = store_->acquire("learner", "me", 60'000).value();
  ASSERT_TRUE(store_->release(lease).ok());
  const Result<int64_t> late = store_->put("beat", "1", &lease);
  EXPECT_TRUE(absl::IsAborted(late.status()));
  EXPECT_THAT(std::string(late.status().message()), HasSubstr("lease learner has ended"));
  EXPECT_TRUE(absl::IsNotFound(store_->get("beat").status()));
}

// Counters
// --------------------------------------------------------------------------------------------------------------------------

TEST_P(StoreTest, a_counter_counts_each_operation_once) {
  EXPECT_EQ(store_->count("steps").value(), 0);
  EXPECT_EQ(store_->add("steps", 100, "actor-0:1").value(), 100);
  EXPECT_EQ(store_->add("steps", 50, "actor-1:1").value(), 150);
  EXPECT_EQ(store_->add("steps", 100, "actor-0:1").value(), 150);
  EXPECT_EQ(store_->add("steps", -20, "actor-0:2").value(), 130);
  EXPECT_EQ(store_->count("steps").value(), 130);
  EXPECT_EQ(store_->add("other", 1, "actor-0:1").value(), 1) << "ids belong to one counter";
}

TEST_P(StoreTest, remembered_operations_are_bounded_and_the_newest_stay) {
  for (int i = 0; i < kRememberedOperations + 10; ++i)
    ASSERT_TRUE(store_->add("steps", 1, str("op-", i)).ok());
  const int64_t total = kRememberedOperations + 10;
  EXPECT_EQ(store_->add("steps", 1, str("op-", total - 1)).value(), total);
  EXPECT_EQ(store_->add("steps", 1, str("op-", 10)).value(), total)
      << "the oldest that is remembered";
  EXPECT_EQ(store_->add("steps", 1, "op-0").value(), total + 1) << "forgotten";
}

// Several users
// ---------------------------------------------------------------------------------------------------------------------

TEST_P(StoreTest, what_one_writes_another_reads_at_once) {
  const std::unique_ptr<Store> other = open();
  ASSERT_TRUE(store_->put("a", "1").ok());
  EXPECT_EQ(other->get("a")->value, "1");
  ASSERT_TRUE(other->append("log", "x").ok());
  EXPECT_EQ(store_->read("log", 0, 10)->size(), 1u);
}

TEST_P(StoreTest, of_threads_that_race_on_compare_and_set_each_success_counts_once) {
  constexpr int kThreads = 4, kEach = 50;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      const std::unique_ptr<Store> mine = open(20'000);
      for (int done = 0; done < kEach;) {
        const Result<StoreEntry> now = mine->get("n");
        const int64_t value = now.ok() ? std::stoll(now->value) : 0;
        const Result<int64_t> set = mine->compare_and_set("n", std::to_string(value + 1),
                                                          now.ok() ? now->version : kAbsent);
        if (set.ok())
          ++done;
        else
          ASSERT_TRUE(absl::IsAborted(set.status())) << set.status();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store_->get("n")->value, std::to_string(kThreads * kEach));
}

TEST_P(StoreTest, of_threads_that_race_for_a_lease_one_wins) {
  std::atomic<int> winners{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      if (open(20'000)->acquire("only", str("thread ", t), 60'000).ok()) ++winners;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(winners, 1);
}

// Two real processes: each adds its operations twice, as after a lost reply.
TEST_P(StoreTest, of_processes_that_race_on_a_counter_nothing_is_lost_or_counted_twice) {
  store_.reset();
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::unique_ptr<Store> mine = std::move(*open_store(address_, {.timeout_ms = 20'000}));
      bool good = true;
      for (int i = 0; i < 100; ++i)
        for (int twice = 0; twice < 2; ++twice) {
          good = good && mine->add("steps", 3, str(process, ":", i)).ok();
          good = good && mine->append("log", str(process, ":", i), str(process, ":", i)).ok();
        }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  store_ = open();
  EXPECT_EQ(store_->count("steps").value(), 600);
  const std::vector<StreamItem> items = store_->read("log", 0, 1000).value();
  ASSERT_EQ(items.size(), 200u);
  for (size_t i = 0; i < items.size(); ++i) EXPECT_EQ(items[i].cursor, static_cast<int64_t>(i) + 1);
}

// The address
// ------------------------------------------------------------------------------------------------------------------------

TEST(StoreAddress, that_is_wrong_is_refused_with_what_is_wrong) {
  const auto error = [](std::string_view address) {
    const Result<std::unique_ptr<Store>> store = open_store(address);
    EXPECT_TRUE(absl::IsInvalidArgument(store.status())) << address;
    return std::string(store.status().message());
  };
  EXPECT_THAT(error("mysql://here"), HasSubstr("expected sqlite:PATH or redis://"));
  EXPECT_THAT(error("sqlite:"), HasSubstr("the path is missing"));
  EXPECT_THAT(error("redis://"), HasSubstr("the host is missing"));
  EXPECT_THAT(error("redis://host:0"), HasSubstr("the port is not in 1 .. 65535"));
  EXPECT_THAT(error("redis://host:70000"), HasSubstr("the port is not in"));
  EXPECT_THAT(error("redis://host:6379/x"), HasSubstr("the database is not a number"));
  EXPECT_THAT(error("redis://me@host"), HasSubstr("the password starts with ':'"));
}

TEST(StoreAddress, is_shown_without_the_password) {
  EXPECT_EQ(open_store("redis://:secret@cache:7000/3").value()->address(), "redis://cache:7000/3");
  EXPECT_EQ(open_store("redis://cache").value()->address(), "redis://cache:6379/0");
  const std::string refused(open_store("redis://:secret@cache:0").status().message());
  EXPECT_THAT(refused, AllOf(HasSubstr("redis://...@cache:0"), Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace oneagent
