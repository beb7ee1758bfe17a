#include "services/learner/store_rendezvous.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/text.h"

namespace oneagent {
namespace {

std::string stored(const std::string& key) { return "rendezvous/" + key; }

}  // namespace

Status StoreRendezvous::put(const std::string& key, const std::string& value) {
  return store_.put(stored(key), value).status();
}

Result<std::string> StoreRendezvous::wait(const std::string& key, Deadline deadline) {
  int64_t pause_ms = 2;
  while (true) {
    Result<StoreEntry> entry = store_.get(stored(key));
    if (entry.ok()) return std::move(entry->value);
    // A store that cannot be reached now may be in a moment.
    if (!absl::IsNotFound(entry.status()) && !absl::IsUnavailable(entry.status()))
      return entry.status();
    if (deadline.expired())
      return absl::DeadlineExceededError(
          str("rendezvous: nobody put ", key, " in time (", entry.status().message(), ")"));
    std::this_thread::sleep_for(
        std::chrono::milliseconds(std::min(pause_ms, deadline.left_ms() + 1)));
    pause_ms = std::min<int64_t>(2 * pause_ms, 50);
  }
}

}  // namespace oneagent
