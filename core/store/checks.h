// Limits that both stores share. A broken one is the caller's mistake: Error.
#pragma once

#include <string>
#include <string_view>

#include "core/base/check.h"
#include "core/store/store.h"

namespace oneagent {

inline void require_store_name(std::string_view what, std::string_view name) {
  OA_REQUIRE(!name.empty() && name.size() <= kMaxKeyBytes, "store: a ", what, " has 1 .. ",
             kMaxKeyBytes, " bytes, was ", name.size());
}

inline void require_store_value(std::string_view key, std::string_view value) {
  OA_REQUIRE(value.size() <= kMaxValueBytes, "store: a value has at most ", kMaxValueBytes,
             " bytes, was ", value.size(), " for ", key,
             "; larger things are files in the run folder");
}

// The first text after all that start with `prefix`; "" when there is none.
inline std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
  return end;
}

inline Status key_not_found(std::string_view key) {
  return absl::NotFoundError(str("store: no key ", key));
}
inline Status lease_not_found(std::string_view name) {
  return absl::NotFoundError(str("store: no living lease ", name));
}
inline Status version_conflict(std::string_view key, int64_t expected, int64_t actual) {
  const std::string was = actual == kAbsent ? "the key is absent" : str("it has version ", actual);
  if (expected == kAbsent)
    return absl::AbortedError(str("store: ", key, " should not exist, but ", was));
  return absl::AbortedError(str("store: ", key, " should have version ", expected, ", but ", was));
}
inline Status lease_ended(std::string_view name) {
  return absl::AbortedError(str("store: the lease ", name, " has ended"));
}
inline Status lease_held(const Lease& held) {
  return absl::AbortedError(str("store: the lease ", held.name, " is held by ", held.owner,
                                " for another ", held.left_ms, " ms"));
}

}  // namespace oneagent
