// The shared store: a Redis server (6.2 or newer) for all services of a run. Leases run on the
// server's clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/redis_connection.h"
#include "core/store/store.h"

namespace oneagent {

class RedisStore final : public Store {
 public:
  RedisStore(RedisAddress address, const StoreOptions& options);

  std::string address() const override { return connection_.address().text(); }
  Status ping() override;
  std::vector<std::string> warnings() const override { return connection_.warnings(); }
  Result<StoreEntry> get(std::string_view key) override;
  Result<int64_t> put(std::string_view key, std::string_view value, const Lease* lease) override;
  Result<int64_t> compare_and_set(std::string_view key, std::string_view value,
                                  int64_t expected_version, const Lease* lease) override;
  Status erase(std::string_view key, int64_t expected_version) override;
  Result<std::vector<StoreEntry>> list(std::string_view prefix, int limit,
                                       std::string_view after) override;
  Result<int64_t> append(std::string_view stream, std::string_view value,
                         std::string_view operation_id) override;
  Result<std::vector<StreamItem>> read(std::string_view stream, int64_t after, int limit) override;
  Status trim(std::string_view stream, int64_t through) override;
  Result<Lease> acquire(std::string_view name, std::string_view owner, int64_t ttl_ms) override;
  Status keepalive(const Lease& lease) override;
  Status release(const Lease& lease) override;
  Result<Lease> find_lease(std::string_view name) override;
  Result<int64_t> add(std::string_view counter, int64_t amount,
                      std::string_view operation_id) override;
  Result<int64_t> count(std::string_view counter) override;

 private:
  std::string request_id();  // never used before by any process

  RedisConnection connection_;
  std::string client_;
  uint64_t requests_ = 0;
};

}  // namespace oneagent
