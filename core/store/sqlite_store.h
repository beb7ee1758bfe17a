// The embedded store: one SQLite file (WAL) that several processes may open at a time. Leases run
// on the host's wall clock.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/sqlite.h"
#include "core/store/store.h"

namespace oneagent {

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const fs::path& path, const StoreOptions& options);

  std::string address() const override { return "sqlite:" + path_.string(); }
  Status ping() override;
  std::vector<std::string> warnings() const override { return {}; }
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
  SqliteStore(fs::path path, std::unique_ptr<SqliteDatabase> database);
  Result<int64_t> next_number();                     // versions and tokens
  Result<int64_t> version_of(std::string_view key);  // kAbsent when missing
  Result<int64_t> write_key(std::string_view key, std::string_view value, const Lease* lease);
  Status drop_ended_leases();
  Status drop_lease(const Lease& lease);
  // The earlier answer to this operation, or NotFound.
  Result<int64_t> remembered(std::string_view target, std::string_view operation_id);
  Status remember(std::string_view target, std::string_view operation_id, int64_t answer);

  fs::path path_;
  std::unique_ptr<SqliteDatabase> database_;
};

}  // namespace oneagent
