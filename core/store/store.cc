#include "core/store/store.h"

#include "core/store/checks.h"
#include "core/store/redis_store.h"
#include "core/store/sqlite_store.h"

namespace oneagent {

namespace {
constexpr std::string_view kSqlite = "sqlite:", kRedis = "redis://";
}

Status check_store_address(std::string_view address) {
  if (address.substr(0, kSqlite.size()) == kSqlite)
    return address.size() > kSqlite.size()
               ? ok()
               : absl::InvalidArgumentError("store address sqlite:: the path is missing");
  if (address.substr(0, kRedis.size()) == kRedis)
    return parse_redis_address(address.substr(kRedis.size())).status();
  return absl::InvalidArgumentError(
      str("store address ", address, ": expected sqlite:PATH or redis://host[:port][/database]"));
}

Result<std::unique_ptr<Store>> open_store(std::string_view address, const StoreOptions& options) {
  OA_REQUIRE(options.timeout_ms > 0, "store: timeout_ms must be at least 1, was ",
             options.timeout_ms);
  OA_RETURN_IF_ERROR(check_store_address(address));
  if (address.substr(0, kSqlite.size()) == kSqlite)
    return SqliteStore::open(fs::path(address.substr(kSqlite.size())), options);
  return std::unique_ptr<Store>(
      new RedisStore(*parse_redis_address(address.substr(kRedis.size())), options));
}

}  // namespace oneagent
