#include "core/store/redis_store.h"

#include <charconv>
#include <random>

#include "core/base/check.h"
#include "core/store/checks.h"
#include "core/store/redis_scripts.h"

namespace oneagent {
namespace {

std::string bytes_of(const redisReply& reply) { return {reply.str, reply.len}; }

const redisReply& at(const redisReply& reply, size_t index) {
  OA_CHECK(reply.type == REDIS_REPLY_ARRAY && index < reply.elements, "redis: reply has ",
           reply.elements, " parts");
  return *reply.element[index];
}

int64_t number_at(const redisReply& reply, size_t index) { return at(reply, index).integer; }

int64_t number_of(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

RedisStore::RedisStore(RedisAddress address, const StoreOptions& options)
    : connection_(std::move(address), options.timeout_ms) {
  std::random_device random;
  client_ = str(std::hex, random(), random(), random(), "-");
}

std::string RedisStore::request_id() { return str(client_, ++requests_); }

Status RedisStore::ping() { return connection_.command({"PING"}).status(); }

// Keys
// ------------------------------------------------------------------------------------------------------------------------------

Result<StoreEntry> RedisStore::get(std::string_view key) {
  require_store_name("key", key);
  const Result<RedisReply> reply = connection_.command({"HMGET", str("oa:k:", key), "d", "v"});
  if (!reply.ok()) return reply.status();
  if (at(**reply, 1).type == REDIS_REPLY_NIL) return key_not_found(key);
  return StoreEntry{std::string(key), bytes_of(at(**reply, 0)),
                    number_of(bytes_of(at(**reply, 1)))};
}

Result<int64_t> RedisStore::put(std::string_view key, std::string_view value, const Lease* lease) {
  return compare_and_set(key, value, kAnyVersion, lease);
}

Result<int64_t> RedisStore::compare_and_set(std::string_view key, std::string_view value,
                                            int64_t expected_version, const Lease* lease) {
  require_store_name("key", key);
  require_store_value(key, value);
  const std::string expected = std::to_string(expected_version), id = request_id();
  const std::string token = std::to_string(lease != nullptr ? lease->token : 0);
  const std::string_view lease_name =
      lease != nullptr ? std::string_view(lease->name) : std::string_view();
  const Result<RedisReply> reply =
      connection_.script(redis_scripts::kWriteKey, {key, value, expected, id, token, lease_name});
  if (!reply.ok()) return reply.status();
  switch (number_at(**reply, 0)) {
    case 1:
      return number_at(**reply, 1);
    case 0:
      return version_conflict(key, expected_version, number_at(**reply, 1));
    default:
      return lease_ended(lease_name);
  }
}

Status RedisStore::erase(std::string_view key, int64_t expected_version) {
  require_store_name("key", key);
  const std::string expected = std::to_string(expected_version);
  const Result<RedisReply> reply = connection_.script(redis_scripts::kEraseKey, {key, expected});
  if (!reply.ok()) return reply.status();
  if (number_at(**reply, 0) == 1) return ok();
  const int64_t actual = number_at(**reply, 1);
  if (actual == kAbsent && connection_.repeated()) return ok();
  return actual == kAbsent ? key_not_found(key) : version_conflict(key, expected_version, actual);
}

Result<std::vector<StoreEntry>> RedisStore::list(std::string_view prefix, int limit,
                                                 std::string_view after) {
  const std::string end = prefix_end(prefix);
  const std::string from = after >= prefix && !after.empty() ? str("(", after) : str("[", prefix);
  const std::string to = end.empty() ? "+" : str("(", end);
  const Result<RedisReply> reply =
      connection_.script(redis_scripts::kListKeys, {from, to, std::to_string(limit)});
  if (!reply.ok()) return reply.status();
  std::vector<StoreEntry> entries;
  for (size_t i = 0; i + 2 < (*reply)->elements; i += 3)
    entries.push_back(
        {bytes_of(at(**reply, i)), bytes_of(at(**reply, i + 1)), number_at(**reply, i + 2)});
  return entries;
}

// Streams
// ---------------------------------------------------------------------------------------------------------------------------

Result<int64_t> RedisStore::append(std::string_view stream, std::string_view value,
                                   std::string_view operation_id) {
  require_store_name("stream", stream);
  require_store_value(stream, value);
  const std::string own_id = operation_id.empty() ? request_id() : std::string(operation_id);
  const std::string remembered = std::to_string(kRememberedOperations);
  const Result<RedisReply> reply =
      connection_.script(redis_scripts::kAppend, {stream, value, own_id, remembered});
  if (!reply.ok()) return reply.status();
  return (*reply)->integer;
}

Result<std::vector<StreamItem>> RedisStore::read(std::string_view stream, int64_t after,
                                                 int limit) {
  require_store_name("stream", stream);
  const Result<RedisReply> reply = connection_.command(
      {"XRANGE", str("oa:s:", stream), str(after + 1, "-0"), "+", "COUNT", std::to_string(limit)});
  if (!reply.ok()) return reply.status();
  std::vector<StreamItem> items;
  for (size_t i = 0; i < (*reply)->elements; ++i) {
    const redisReply& item = at(**reply, i);
    items.push_back({number_of(bytes_of(at(item, 0))), bytes_of(at(at(item, 1), 1))});
  }
  return items;
}

Status RedisStore::trim(std::string_view stream, int64_t through) {
  require_store_name("stream", stream);
  return connection_.command({"XTRIM", str("oa:s:", stream), "MINID", str(through + 1, "-0")})
      .status();
}

// Leases
// ----------------------------------------------------------------------------------------------------------------------------

Result<Lease> RedisStore::acquire(std::string_view name, std::string_view owner, int64_t ttl_ms) {
  require_store_name("lease", name);
  require_store_name("lease owner", owner);
  OA_REQUIRE(ttl_ms > 0, "store: a lease lasts at least 1 ms, was ", ttl_ms);
  const Result<RedisReply> reply =
      connection_.script(redis_scripts::kRenewLease, {name, owner, std::to_string(ttl_ms), "0"});
  if (!reply.ok()) return reply.status();
  if (number_at(**reply, 0) == 1)
    return Lease{std::string(name), std::string(owner), number_at(**reply, 1), ttl_ms, ttl_ms};
  return lease_held({std::string(name), bytes_of(at(**reply, 1)), number_at(**reply, 2), 0,
                     number_at(**reply, 3)});
}

Status RedisStore::keepalive(const Lease& lease) {
  const Result<RedisReply> reply = connection_.script(
      redis_scripts::kRenewLease, {lease.name, "", "", std::to_string(lease.token)});
  if (!reply.ok()) return reply.status();
  return number_at(**reply, 0) == 1 ? ok() : lease_not_found(lease.name);
}

Status RedisStore::release(const Lease& lease) {
  const Result<RedisReply> reply =
      connection_.script(redis_scripts::kRelease, {lease.name, std::to_string(lease.token)});
  if (!reply.ok()) return reply.status();
  return (*reply)->integer == 1 || connection_.repeated() ? ok() : lease_not_found(lease.name);
}

Result<Lease> RedisStore::find_lease(std::string_view name) {
  require_store_name("lease", name);
  const Result<RedisReply> reply = connection_.script(redis_scripts::kFindLease, {name});
  if (!reply.ok()) return reply.status();
  if ((*reply)->elements == 0) return lease_not_found(name);
  return Lease{std::string(name), bytes_of(at(**reply, 0)), number_at(**reply, 1),
               number_at(**reply, 2), number_at(**reply, 3)};
}

// Counters
// --------------------------------------------------------------------------------------------------------------------------

Result<int64_t> RedisStore::add(std::string_view counter, int64_t amount,
                                std::string_view operation_id) {
  require_store_name("counter", counter);
  require_store_name("operation id", operation_id);
  const Result<RedisReply> reply = connection_.script(
      redis_scripts::kAdd,
      {counter, std::to_string(amount), operation_id, std::to_string(kRememberedOperations)});
  if (!reply.ok()) return reply.status();
  return (*reply)->integer;
}

Result<int64_t> RedisStore::count(std::string_view counter) {
  require_store_name("counter", counter);
  const Result<RedisReply> reply = connection_.command({"GET", str("oa:c:", counter)});
  if (!reply.ok()) return reply.status();
  return (*reply)->type == REDIS_REPLY_NIL ? 0 : number_of(bytes_of(**reply));
}

}  // namespace oneagent
