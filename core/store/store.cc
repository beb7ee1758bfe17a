#include "core/store/store.h"

#include "core/store/checks.h"
#include "core/store/redis_store.h"
#include "core/store/sqlite_store.h"

namespace oneagent {

Result<std::unique_ptr<Store>> open_store(std::string_view address, const StoreOptions& options) {
  OA_REQUIRE(options.timeout_ms > 0, "store: timeout_ms must be at least 1, was ",
             options.timeout_ms);
  constexpr std::string_view kSqlite = "sqlite:", kRedis = "redis://";
  if (address.substr(0, kSqlite.size()) == kSqlite) {
    const fs::path path(address.substr(kSqlite.size()));
    if (path.empty())
      return absl::InvalidArgumentError("store address sqlite:: the path is missing");
    return SqliteStore::open(path, options);
  }
  if (address.substr(0, kRedis.size()) == kRedis) {
    Result<RedisAddress> parsed = parse_redis_address(address.substr(kRedis.size()));
    if (!parsed.ok()) return parsed.status();
    return std::unique_ptr<Store>(new RedisStore(std::move(*parsed), options));
  }
  return absl::InvalidArgumentError(
      str("store address ", address, ": expected sqlite:PATH or redis://host[:port][/database]"));
}

}  // namespace oneagent
