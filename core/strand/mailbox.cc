#include "core/strand/mailbox.h"

#include "core/base/text.h"

namespace oneagent {

Status mailbox_full(const std::string& name, size_t capacity, bool waited) {
  if (waited)
    return absl::DeadlineExceededError(
        str("mailbox ", name, ": still full (", capacity, " items) at the deadline"));
  return absl::ResourceExhaustedError(str("mailbox ", name, ": full (", capacity, " items)"));
}

Status mailbox_empty(const std::string& name) {
  return absl::DeadlineExceededError(str("mailbox ", name, ": nothing came before the deadline"));
}

Status mailbox_closed(const std::string& name) {
  return absl::UnavailableError(str("mailbox ", name, ": closed"));
}

}  // namespace oneagent
