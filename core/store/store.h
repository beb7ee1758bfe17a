// Metadata of a run: versioned keys, append-only streams, leases, counters. SQLite file when
// embedded, Redis when not; one meaning.
//
//   Result<std::unique_ptr<Store>> store = open_store("sqlite:runs/a/store.sqlite");    // or
//   "redis://host:6379/0" Result<int64_t> version = (*store)->compare_and_set("runs/a/epoch", "8",
//   expected);
//
// Strand: one Store belongs to one strand; other threads and processes open their own on the same
// address. Blocking: every call ends by StoreOptions::timeout_ms. A lost server is retried with
// back-off inside the call. Errors are values: NotFound; Aborted = conflict (the message names both
// versions or the lease's holder); Unavailable = the server or file cannot be reached (a write may
// or may not have happened; repeating it is safe, see each call); ResourceExhausted = disk full. A
// wrong call (empty key, value above kMaxValueBytes) throws Error. Durability: an acknowledged
// write survives a kill of this process and of the server (SQLite: WAL, synchronous=FULL; Redis:
// appendonly with appendfsync always, checked at connect; warnings() says what is off).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace oneagent {

inline constexpr size_t kMaxKeyBytes = 1024;
inline constexpr size_t kMaxValueBytes = 8 << 20;
inline constexpr int64_t kAnyVersion = -1;
inline constexpr int64_t kAbsent = 0;
inline constexpr int kRememberedOperations =
    4096;  // operation ids kept for each counter and stream, oldest forgotten first

struct StoreOptions {
  int timeout_ms = 2000;  // of one call, reconnecting included
  bool create = true;     // SQLite: make the file when it is missing; false: NotFound
  bool sync = true;  // SQLite: false keeps writes through a kill of the process, but not of the
                     // machine; for heartbeats
};

// Versions grow across the whole store and are never used twice, so an erased and re-made key never
// looks unchanged.
struct StoreEntry {
  std::string key;
  std::string value;
  int64_t version = kAbsent;
};

struct StreamItem {
  int64_t cursor = 0;  // 1, 2, 3 ... without gaps within a stream
  std::string value;
};

// A named right that ends by itself unless kept alive. Value type: losing the object releases
// nothing.
struct Lease {
  std::string name;
  std::string owner;  // unique to one incarnation of a process
  int64_t token = 0;  // grows with every acquire; 0 = none
  int64_t ttl_ms = 0;
  int64_t left_ms = 0;  // at the moment of the answer, by the store's clock
};

class Store {
 public:
  virtual ~Store() = default;

  virtual std::string address() const = 0;
  // Reaches the server or file once. What is not durable or not as expected is in warnings()
  // afterwards.
  virtual Status ping() = 0;
  virtual std::vector<std::string> warnings() const = 0;

  // Keys. put and compare_and_set return the new version. A key with a lease vanishes when the
  // lease ends; writing it without one takes it off. compare_and_set: kAbsent = must not exist.
  // Aborted when the version differs or the lease has ended.
  virtual Result<StoreEntry> get(std::string_view key) = 0;
  virtual Result<int64_t> put(std::string_view key, std::string_view value,
                              const Lease* lease = nullptr) = 0;
  virtual Result<int64_t> compare_and_set(std::string_view key, std::string_view value,
                                          int64_t expected_version,
                                          const Lease* lease = nullptr) = 0;
  virtual Status erase(std::string_view key, int64_t expected_version = kAnyVersion) = 0;
  // Keys that start with `prefix`, in byte order, at most `limit`, beginning after the key `after`.
  virtual Result<std::vector<StoreEntry>> list(std::string_view prefix, int limit = 1000,
                                               std::string_view after = {}) = 0;

  // Streams. append returns the item's cursor; the same operation id again returns the first cursor
  // and adds nothing (an empty id means: made here). read gives items after `after`; an unknown
  // stream is empty. trim drops items up to `through`.
  virtual Result<int64_t> append(std::string_view stream, std::string_view value,
                                 std::string_view operation_id = {}) = 0;
  virtual Result<std::vector<StreamItem>> read(std::string_view stream, int64_t after,
                                               int limit) = 0;
  virtual Status trim(std::string_view stream, int64_t through) = 0;

  // Leases. acquire by the owner that holds it renews it and keeps the token; Aborted names another
  // holder. keepalive and release: NotFound when the lease has ended or changed hands. find_lease:
  // the living lease of that name, or NotFound.
  virtual Result<Lease> acquire(std::string_view name, std::string_view owner, int64_t ttl_ms) = 0;
  virtual Status keepalive(const Lease& lease) = 0;
  virtual Status release(const Lease& lease) = 0;
  virtual Result<Lease> find_lease(std::string_view name) = 0;

  // Counters. add returns the total; the same operation id counts once (its return is the present
  // total). An unknown counter is 0.
  virtual Result<int64_t> add(std::string_view counter, int64_t amount,
                              std::string_view operation_id) = 0;
  virtual Result<int64_t> count(std::string_view counter) = 0;
};

// "sqlite:PATH" or "redis://[:password@]host[:port][/db]". InvalidArgument names what is wrong with
// the address. SQLite opens here (Unavailable, or NotFound with create = false); Redis connects at
// the first call, so a service can start before its server.
// InvalidArgument, with what is expected, for what open_store() could never open.
Status check_store_address(std::string_view address);
Result<std::unique_ptr<Store>> open_store(std::string_view address,
                                          const StoreOptions& options = {});

}  // namespace oneagent
