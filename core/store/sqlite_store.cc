#include "core/store/sqlite_store.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/version.h"
#include "core/store/checks.h"

namespace oneagent {
namespace {

// A lease lives while now is in [ends - ttl, ends): a clock that was set back ends it instead of
// prolonging it.
#define OA_LEASE_LIVES "(leases.ends_ms > ?1 AND leases.ends_ms - leases.ttl_ms <= ?1)"

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS numbers(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO numbers VALUES('version', 0);
CREATE TABLE IF NOT EXISTS keys(key BLOB PRIMARY KEY, value BLOB NOT NULL, version INTEGER NOT NULL, token INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS keys_by_token ON keys(token) WHERE token != 0;
CREATE TABLE IF NOT EXISTS leases(name BLOB PRIMARY KEY, owner BLOB NOT NULL, token INTEGER NOT NULL UNIQUE, ttl_ms INTEGER NOT NULL,
                                  ends_ms INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS stream_ends(stream BLOB PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS items(stream BLOB, cursor INTEGER, value BLOB NOT NULL, PRIMARY KEY(stream, cursor)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counters(counter BLOB PRIMARY KEY, total INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS operations(position INTEGER PRIMARY KEY AUTOINCREMENT, target BLOB NOT NULL, id BLOB NOT NULL,
                                      answer INTEGER NOT NULL, UNIQUE(target, id));
CREATE INDEX IF NOT EXISTS operations_by_age ON operations(target, position);
)";

Status make_tables(SqliteDatabase& database, const fs::path& path) {
  return database.write<Status>([&]() -> Status {
    int64_t version = 0;
    {
      SqliteQuery query = database.query("PRAGMA user_version");
      const Result<bool> row = query.step();
      if (!row.ok()) return row.status();
      version = query.number(0);
    }
    if (version == kSchemaVersion) return ok();
    if (version != 0)
      return absl::FailedPreconditionError(str("store ", path.string(), ": has schema version ",
                                               version, ", this program reads ", kSchemaVersion));
    OA_RETURN_IF_ERROR(database.execute(kTables));
    return database.execute(str("PRAGMA user_version=", kSchemaVersion).c_str());
  });
}

Lease lease_of(const SqliteQuery& row, std::string_view name, int64_t now) {
  return {std::string(name), row.bytes(0), row.number(1), row.number(2), row.number(3) - now};
}

std::string target_of(std::string_view kind, std::string_view name) { return str(kind, ":", name); }

}  // namespace

SqliteStore::SqliteStore(fs::path path, std::unique_ptr<SqliteDatabase> database)
    : path_(std::move(path)), database_(std::move(database)) {}

Result<std::unique_ptr<Store>> SqliteStore::open(const fs::path& path,
                                                 const StoreOptions& options) {
  Result<std::unique_ptr<SqliteDatabase>> database =
      SqliteDatabase::open(path, options.create, options.sync, options.timeout_ms);
  if (!database.ok()) return database.status();
  OA_RETURN_IF_ERROR(make_tables(**database, path));
  return std::unique_ptr<Store>(new SqliteStore(path, std::move(*database)));
}

Status SqliteStore::ping() {
  OA_RETURN_IF_ERROR(database_->check_file());
  return database_->query("SELECT value FROM numbers").run();
}

Result<int64_t> SqliteStore::next_number() {
  SqliteQuery query = database_->query(
      "UPDATE numbers SET value = value + 1 WHERE name = 'version' RETURNING value");
  const Result<bool> row = query.step();
  if (!row.ok()) return row.status();
  const int64_t number = query.number(0);
  OA_RETURN_IF_ERROR(query.run());
  return number;
}

// Keys
// ------------------------------------------------------------------------------------------------------------------------------

#define OA_KEY_IS_THERE                                                             \
  "(keys.token = 0 OR EXISTS(SELECT 1 FROM leases WHERE leases.token = keys.token " \
  "AND " OA_LEASE_LIVES "))"

Result<StoreEntry> SqliteStore::get(std::string_view key) {
  require_store_name("key", key);
  SqliteQuery query =
      database_->query("SELECT value, version FROM keys WHERE key = ?2 AND " OA_KEY_IS_THERE);
  const Result<bool> row = query.bind(wall_ms()).bind(key).step();
  if (!row.ok()) return row.status();
  if (!*row) return key_not_found(key);
  return StoreEntry{std::string(key), query.bytes(0), query.number(1)};
}

Result<int64_t> SqliteStore::version_of(std::string_view key) {
  SqliteQuery query =
      database_->query("SELECT version FROM keys WHERE key = ?2 AND " OA_KEY_IS_THERE);
  const Result<bool> row = query.bind(wall_ms()).bind(key).step();
  if (!row.ok()) return row.status();
  return *row ? query.number(0) : kAbsent;
}

Result<int64_t> SqliteStore::write_key(std::string_view key, std::string_view value,
                                       const Lease* lease) {
  if (lease != nullptr) {
    SqliteQuery query =
        database_->query("SELECT 1 FROM leases WHERE token = ?2 AND " OA_LEASE_LIVES);
    const Result<bool> lives = query.bind(wall_ms()).bind(lease->token).step();
    if (!lives.ok()) return lives.status();
    if (!*lives) return lease_ended(lease->name);
  }
  const Result<int64_t> version = next_number();
  if (!version.ok()) return version;
  SqliteQuery query = database_->query("INSERT OR REPLACE INTO keys VALUES(?, ?, ?, ?)");
  OA_RETURN_IF_ERROR(
      query.bind(key).bind(value).bind(*version).bind(lease != nullptr ? lease->token : 0).run());
  return version;
}

Result<int64_t> SqliteStore::put(std::string_view key, std::string_view value, const Lease* lease) {
  return compare_and_set(key, value, kAnyVersion, lease);
}

Result<int64_t> SqliteStore::compare_and_set(std::string_view key, std::string_view value,
                                             int64_t expected_version, const Lease* lease) {
  require_store_name("key", key);
  require_store_value(key, value);
  return database_->write<Result<int64_t>>([&]() -> Result<int64_t> {
    if (expected_version != kAnyVersion) {
      const Result<int64_t> version = version_of(key);
      if (!version.ok()) return version;
      if (*version != expected_version) return version_conflict(key, expected_version, *version);
    }
    return write_key(key, value, lease);
  });
}

Status SqliteStore::erase(std::string_view key, int64_t expected_version) {
  require_store_name("key", key);
  return database_->write<Status>([&]() -> Status {
    const Result<int64_t> version = version_of(key);
    if (!version.ok()) return version.status();
    if (*version == kAbsent) return key_not_found(key);
    if (expected_version != kAnyVersion && *version != expected_version)
      return version_conflict(key, expected_version, *version);
    return database_->query("DELETE FROM keys WHERE key = ?").bind(key).run();
  });
}

Result<std::vector<StoreEntry>> SqliteStore::list(std::string_view prefix, int limit,
                                                  std::string_view after) {
  const std::string end = prefix_end(prefix);
  SqliteQuery query = database_->query(
      "SELECT key, value, version FROM keys WHERE key >= ?2 AND key > ?3 AND (?4 = x'' OR key < "
      "?4) AND " OA_KEY_IS_THERE " ORDER BY key LIMIT ?5");
  query.bind(wall_ms()).bind(prefix).bind(after).bind(std::string_view(end)).bind(int64_t{limit});
  std::vector<StoreEntry> entries;
  while (true) {
    const Result<bool> row = query.step();
    if (!row.ok()) return row.status();
    if (!*row) return entries;
    entries.push_back({query.bytes(0), query.bytes(1), query.number(2)});
  }
}

// Operations that count once
// --------------------------------------------------------------------------------------------------------

Result<int64_t> SqliteStore::remembered(std::string_view target, std::string_view operation_id) {
  SqliteQuery query = database_->query("SELECT answer FROM operations WHERE target = ? AND id = ?");
  const Result<bool> row = query.bind(target).bind(operation_id).step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError("new operation");
  return query.number(0);
}

Status SqliteStore::remember(std::string_view target, std::string_view operation_id,
                             int64_t answer) {
  SqliteQuery insert =
      database_->query("INSERT INTO operations(target, id, answer) VALUES(?, ?, ?)");
  OA_RETURN_IF_ERROR(insert.bind(target).bind(operation_id).bind(answer).run());
  SqliteQuery forget = database_->query(
      "DELETE FROM operations WHERE position IN (SELECT position FROM operations WHERE target = ? "
      "ORDER BY position DESC LIMIT -1 OFFSET ?)");
  return forget.bind(target).bind(int64_t{kRememberedOperations}).run();
}

// Streams
// ---------------------------------------------------------------------------------------------------------------------------

Result<int64_t> SqliteStore::append(std::string_view stream, std::string_view value,
                                    std::string_view operation_id) {
  require_store_name("stream", stream);
  require_store_value(stream, value);
  return database_->write<Result<int64_t>>([&]() -> Result<int64_t> {
    const std::string target = target_of("stream", stream);
    if (!operation_id.empty()) {
      const Result<int64_t> earlier = remembered(target, operation_id);
      if (!absl::IsNotFound(earlier.status())) return earlier;
    }
    int64_t cursor = 0;
    {
      SqliteQuery query = database_->query(
          "INSERT INTO stream_ends VALUES(?, 1) ON CONFLICT(stream) DO UPDATE SET last = last + 1 "
          "RETURNING last");
      const Result<bool> row = query.bind(stream).step();
      if (!row.ok()) return row.status();
      cursor = query.number(0);
      OA_RETURN_IF_ERROR(query.run());
    }
    OA_RETURN_IF_ERROR(database_->query("INSERT INTO items VALUES(?, ?, ?)")
                           .bind(stream)
                           .bind(cursor)
                           .bind(value)
                           .run());
    if (!operation_id.empty()) OA_RETURN_IF_ERROR(remember(target, operation_id, cursor));
    return cursor;
  });
}

Result<std::vector<StreamItem>> SqliteStore::read(std::string_view stream, int64_t after,
                                                  int limit) {
  require_store_name("stream", stream);
  SqliteQuery query = database_->query(
      "SELECT cursor, value FROM items WHERE stream = ? AND cursor > ? ORDER BY cursor LIMIT ?");
  query.bind(stream).bind(after).bind(int64_t{limit});
  std::vector<StreamItem> items;
  while (true) {
    const Result<bool> row = query.step();
    if (!row.ok()) return row.status();
    if (!*row) return items;
    items.push_back({query.number(0), query.bytes(1)});
  }
}

Status SqliteStore::trim(std::string_view stream, int64_t through) {
  require_store_name("stream", stream);
  return database_->write<Status>([&] {
    return database_->query("DELETE FROM items WHERE stream = ? AND cursor <= ?")
        .bind(stream)
        .bind(through)
        .run();
  });
}

// Leases
// ----------------------------------------------------------------------------------------------------------------------------

Result<Lease> SqliteStore::find_lease(std::string_view name) {
  require_store_name("lease", name);
  const int64_t now = wall_ms();
  SqliteQuery query = database_->query(
      "SELECT owner, token, ttl_ms, ends_ms FROM leases WHERE name = ?2 AND " OA_LEASE_LIVES);
  const Result<bool> row = query.bind(now).bind(name).step();
  if (!row.ok()) return row.status();
  if (!*row) return lease_not_found(name);
  return lease_of(query, name, now);
}

Status SqliteStore::drop_ended_leases() {
  OA_RETURN_IF_ERROR(
      database_->query("DELETE FROM leases WHERE NOT " OA_LEASE_LIVES).bind(wall_ms()).run());
  return database_
      ->query("DELETE FROM keys WHERE token != 0 AND token NOT IN (SELECT token FROM leases)")
      .run();
}

Result<Lease> SqliteStore::acquire(std::string_view name, std::string_view owner, int64_t ttl_ms) {
  require_store_name("lease", name);
  require_store_name("lease owner", owner);
  OA_REQUIRE(ttl_ms > 0, "store: a lease lasts at least 1 ms, was ", ttl_ms);
  return database_->write<Result<Lease>>([&]() -> Result<Lease> {
    OA_RETURN_IF_ERROR(drop_ended_leases());
    Result<Lease> held = find_lease(name);
    if (held.ok() && held->owner != owner) return lease_held(*held);
    if (!held.ok() && !absl::IsNotFound(held.status())) return held;
    const Result<int64_t> token = held.ok() ? Result<int64_t>(held->token) : next_number();
    if (!token.ok()) return token.status();
    SqliteQuery query = database_->query("INSERT OR REPLACE INTO leases VALUES(?, ?, ?, ?, ?)");
    OA_RETURN_IF_ERROR(
        query.bind(name).bind(owner).bind(*token).bind(ttl_ms).bind(wall_ms() + ttl_ms).run());
    return Lease{std::string(name), std::string(owner), *token, ttl_ms, ttl_ms};
  });
}

Status SqliteStore::keepalive(const Lease& lease) {
  return database_->write<Status>([&]() -> Status {
    SqliteQuery query = database_->query(
        "UPDATE leases SET ends_ms = ?1 + ttl_ms WHERE name = ?2 AND token = ?3 AND " OA_LEASE_LIVES
        " RETURNING 1");
    const Result<bool> row =
        query.bind(wall_ms()).bind(std::string_view(lease.name)).bind(lease.token).step();
    if (!row.ok()) return row.status();
    return *row ? query.run() : lease_not_found(lease.name);
  });
}

Status SqliteStore::drop_lease(const Lease& lease) {
  OA_RETURN_IF_ERROR(database_->query("DELETE FROM keys WHERE token = ?").bind(lease.token).run());
  return database_->query("DELETE FROM leases WHERE token = ?").bind(lease.token).run();
}

Status SqliteStore::release(const Lease& lease) {
  return database_->write<Status>([&]() -> Status {
    const Result<Lease> held = find_lease(lease.name);
    if (!held.ok()) return held.status();
    return held->token == lease.token ? drop_lease(*held) : lease_not_found(lease.name);
  });
}

// Counters
// --------------------------------------------------------------------------------------------------------------------------

Result<int64_t> SqliteStore::count(std::string_view counter) {
  require_store_name("counter", counter);
  SqliteQuery query = database_->query("SELECT total FROM counters WHERE counter = ?");
  const Result<bool> row = query.bind(counter).step();
  if (!row.ok()) return row.status();
  return *row ? query.number(0) : 0;
}

Result<int64_t> SqliteStore::add(std::string_view counter, int64_t amount,
                                 std::string_view operation_id) {
  require_store_name("counter", counter);
  require_store_name("operation id", operation_id);
  return database_->write<Result<int64_t>>([&]() -> Result<int64_t> {
    const std::string target = target_of("counter", counter);
    const Result<int64_t> earlier = remembered(target, operation_id);
    if (earlier.ok()) return count(counter);
    if (!absl::IsNotFound(earlier.status())) return earlier;
    SqliteQuery query = database_->query(
        "INSERT INTO counters VALUES(?1, ?2) ON CONFLICT(counter) DO UPDATE SET total = total + "
        "?2");
    OA_RETURN_IF_ERROR(query.bind(counter).bind(amount).run());
    OA_RETURN_IF_ERROR(remember(target, operation_id, amount));
    return count(counter);
  });
}

}  // namespace oneagent
