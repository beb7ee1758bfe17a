// What happens when the server, the file or the process is lost: clear Statuses, and no
// acknowledged write gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <atomic>
#include <set>
#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/store/store.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Store> open(const std::string& address, int timeout_ms = 2000) {
  return std::move(*open_store(address, {.timeout_ms = timeout_ms}));
}

std::string text(const Status& status) { return std::string(status.message()); }

void redis_command(const RedisServer& server, const char* command) {
  redisContext* context = redisConnect("127.0.0.1", server.port());
  freeReplyObject(redisCommand(context, command));
  redisFree(context);
}

// Redis
// -----------------------------------------------------------------------------------------------------------------------------

TEST(RedisLoss, an_unreachable_server_is_unavailable_with_address_and_reason_by_the_deadline) {
  const std::string address = "redis://127.0.0.1:" + std::to_string(free_port());
  const int64_t start = steady_ns();
  const Status status = open(address, 300)->ping();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(text(status), HasSubstr(address + "/0: Connection refused"));
  EXPECT_LT(seconds_since(start), 0.6);
}

TEST(RedisLoss, an_unknown_host_is_unavailable) {
  EXPECT_TRUE(absl::IsUnavailable(open("redis://no-such-host.invalid", 300)->ping()));
}

TEST(
    RedisLoss,
    a_server_that_hangs_is_unavailable_by_the_deadline_and_its_late_reply_is_not_taken_for_the_next) {
  RedisServer server;
  const std::unique_ptr<Store> store = open(server.address(), 300);
  ASSERT_TRUE(store->put("a", "1").ok());
  ASSERT_TRUE(store->put("b", "2").ok());
  server.stop();
  const int64_t start = steady_ns();
  const Status status = store->get("a").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(text(status), HasSubstr("no answer within 300 ms"));
  EXPECT_LT(seconds_since(start), 0.7);
  server.go_on();
  EXPECT_EQ(store->get("b")->value, "2");
}

TEST(RedisLoss, a_call_survives_a_restart_of_the_server_within_its_deadline) {
  RedisServer server;
  const std::unique_ptr<Store> store = open(server.address(), 10'000);
  ASSERT_TRUE(store->put("a", "1").ok());
  server.kill(SIGKILL);
  std::thread restart([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    server.start();
  });
  EXPECT_EQ(store->get("a")->value, "1");
  restart.join();
}

TEST(RedisLoss,
     while_the_server_is_gone_calls_end_by_their_deadline_and_afterwards_they_work_again) {
  RedisServer server;
  const std::unique_ptr<Store> store = open(server.address(), 200);
  const int64_t version = store->put("a", "1").value();
  server.kill(SIGKILL);
  for (int i = 0; i < 5; ++i) {
    const int64_t start = steady_ns();
    EXPECT_TRUE(absl::IsUnavailable(store->put("a", "2").status()));
    EXPECT_LT(seconds_since(start), 0.5);
  }
  server.start();
  Status status = store->ping();
  for (const Deadline until = Deadline::after_ms(3000); !status.ok() && !until.expired();)
    status = store->ping();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(store->get("a")->version, version) << "nothing that was refused was done";
}

// The server is killed at five moments while three writers append, count and compare-and-set with
// retries.
TEST(RedisLoss, no_acknowledged_write_is_lost_or_done_twice_over_kills_of_the_server) {
  RedisServer server;
  std::atomic<bool> stop{false};
  std::set<std::string> appended;
  int64_t added = 0, swapped = 0, operation = 0;
  const auto until_done = [](const auto& call) {
    while (true) {
      const Status status = call();
      if (status.ok()) return;
      ASSERT_TRUE(absl::IsUnavailable(status)) << status;
    }
  };
  std::thread appender([&] {
    const std::unique_ptr<Store> store = open(server.address(), 100);
    for (int i = 0; !stop; ++i) {
      const std::string value = str("item ", i);
      until_done([&] { return store->append("log", value, value).status(); });
      appended.insert(value);
    }
  });
  std::thread counter([&] {
    const std::unique_ptr<Store> store = open(server.address(), 100);
    while (!stop) {
      until_done([&] { return store->add("steps", 7, str("op ", operation)).status(); });
      ++operation;
      added += 7;
    }
  });
  std::thread swapper([&] {  // long deadline: the retries are the store's own
    const std::unique_ptr<Store> store = open(server.address(), 20'000);
    int64_t version = kAbsent;
    while (!stop) {
      const Result<int64_t> next =
          store->compare_and_set("n", std::to_string(swapped + 1), version);
      ASSERT_TRUE(next.ok()) << next.status();
      version = *next;
      ++swapped;
    }
  });
  for (int kill = 0; kill < 5; ++kill) {
    std::this_thread::sleep_for(std::chrono::milliseconds(137 + 61 * kill));
    server.kill(SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(50 * kill));
    server.start();
  }
  stop = true;
  appender.join();
  counter.join();
  swapper.join();

  const std::unique_ptr<Store> store = open(server.address());
  EXPECT_EQ(store->count("steps").value(), added);
  EXPECT_EQ(store->get("n")->value, std::to_string(swapped));
  std::set<std::string> found;
  int64_t cursor = 0;
  for (bool more = true; more;) {
    const std::vector<StreamItem> items = store->read("log", cursor, 1000).value();
    for (const StreamItem& item : items) {
      EXPECT_EQ(item.cursor, cursor + 1);
      EXPECT_TRUE(found.insert(item.value).second) << "twice: " << item.value;
      cursor = item.cursor;
    }
    more = !items.empty();
  }
  EXPECT_EQ(found, appended);
  EXPECT_GT(appended.size(), 100u);
}

TEST(RedisLoss, flushed_scripts_are_loaded_again) {
  RedisServer server;
  const std::unique_ptr<Store> store = open(server.address());
  ASSERT_TRUE(store->put("a", "1").ok());
  redis_command(server, "SCRIPT FLUSH");
  EXPECT_TRUE(store->put("a", "2").ok());
}

TEST(RedisLoss, a_server_that_does_not_keep_its_writes_is_a_warning) {
  RedisServer durable, forgetful("no");
  const std::unique_ptr<Store> good = open(durable.address()), bad = open(forgetful.address());
  ASSERT_TRUE(good->ping().ok());
  ASSERT_TRUE(bad->ping().ok());
  EXPECT_TRUE(good->warnings().empty());
  ASSERT_EQ(bad->warnings().size(), 1u);
  EXPECT_THAT(bad->warnings()[0],
              HasSubstr("appendonly is no, not yes: acknowledged writes may be lost"));
}

TEST(RedisLoss, a_full_server_is_resource_exhausted) {
  RedisServer server;
  const std::unique_ptr<Store> store = open(server.address());
  ASSERT_TRUE(store->ping().ok());
  redis_command(server, "CONFIG SET maxmemory 1mb");
  Status status = ok();
  for (int i = 0; i < 50 && status.ok(); ++i)
    status = store->put(str("k", i), std::string(100'000, 'x')).status();
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
}

TEST(RedisLoss, a_wrong_password_is_permission_denied_at_once) {
  RedisServer server;
  redis_command(server, "CONFIG SET requirepass secret");
  const std::string where = "127.0.0.1:" + std::to_string(server.port());
  EXPECT_TRUE(open("redis://:secret@" + where)->ping().ok());
  EXPECT_TRUE(absl::IsPermissionDenied(open("redis://:wrong@" + where)->ping()));
  EXPECT_TRUE(absl::IsPermissionDenied(open("redis://" + where)->ping()));
}

// SQLite
// ----------------------------------------------------------------------------------------------------------------------------

TEST(SqliteLoss, a_folder_that_is_missing_is_unavailable_with_the_path) {
  const Result<std::unique_ptr<Store>> store = open_store("sqlite:/no/such/folder/store.sqlite");
  EXPECT_TRUE(absl::IsUnavailable(store.status()));
  EXPECT_THAT(text(store.status()), HasSubstr("cannot open /no/such/folder/store.sqlite"));
}

TEST(SqliteLoss, a_missing_file_is_not_found_when_it_may_not_be_made) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "store.sqlite").string();
  EXPECT_TRUE(absl::IsNotFound(open_store("sqlite:" + path, {.create = false}).status()));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(SqliteLoss, a_file_that_is_no_database_is_data_loss) {
  TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "store.sqlite";
  write_atomic(path, std::string(5000, 'x'));
  const Status status = open_store("sqlite:" + path.string(), {.timeout_ms = 100}).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(text(status), HasSubstr(path.string()));
}

TEST(SqliteLoss, a_file_that_was_removed_while_in_use_takes_no_more_writes) {
  TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "store.sqlite";
  const std::unique_ptr<Store> store = open("sqlite:" + path.string());
  ASSERT_TRUE(store->put("a", "1").ok());
  std::filesystem::remove(path);
  const Status status = store->put("a", "2").status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(text(status), HasSubstr("removed or replaced"));
  EXPECT_TRUE(absl::IsUnavailable(store->ping()));
}

TEST(SqliteLoss, acknowledged_writes_survive_a_kill_of_the_writer) {
  TemporaryFolder folder;
  const std::string address = "sqlite:" + (folder.path() / "store.sqlite").string();
  int64_t operation = 0;
  for (int kill = 0; kill < 3; ++kill) {
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const std::unique_ptr<Store> store = open(address);
      for (int64_t i = operation;; ++i) {
        if (!store->append("log", std::to_string(i)).ok()) ::_exit(1);
        if (::write(pipes[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
    }
    ::close(pipes[1]);
    ::usleep(100'000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    int64_t acknowledged = -1;
    for (int64_t i = 0; ::read(pipes[0], &i, sizeof i) == sizeof i;) acknowledged = i;
    ::close(pipes[0]);
    ASSERT_GE(acknowledged, operation);
    const std::vector<StreamItem> items = open(address)->read("log", 0, 1'000'000).value();
    ASSERT_GE(static_cast<int64_t>(items.size()), acknowledged + 1);
    for (size_t i = 0; i < items.size(); ++i) ASSERT_EQ(items[i].value, std::to_string(i));
    operation = static_cast<int64_t>(items.size());
  }
}

TEST(SqliteLoss, a_write_that_the_disk_refuses_is_a_status_and_the_store_stays_whole) {
  TemporaryFolder folder;
  const std::string address = "sqlite:" + (folder.path() / "store.sqlite").string();
  ASSERT_TRUE(open(address)->put("before", "1").ok());
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::unique_ptr<Store> store = open(address);
    Status status = ok();
    for (int i = 0; i < 100 && status.ok(); ++i)
      status = store->put(str("k", i), std::string(50'000, 'x')).status();
    ::_exit(!status.ok() && store->get("before").ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(open(address)->get("before")->value, "1");
}

TEST(SqliteLoss, a_file_locked_beyond_the_deadline_is_unavailable) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "store.sqlite").string();
  const std::unique_ptr<Store> store = open("sqlite:" + path, 100);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const int64_t start = steady_ns();
  const Status status = store->put("a", "1").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(text(status), HasSubstr("locked"));
  EXPECT_LT(seconds_since(start), 0.5);
  EXPECT_TRUE(absl::IsNotFound(store->get("a").status())) << "readers are not locked out";
  sqlite3_close(other);
  EXPECT_TRUE(store->put("a", "1").ok());
}

}  // namespace
}  // namespace oneagent
