#include "core/net/malformed_log.h"

#include "core/base/log.h"

namespace oneagent::net {

void count_refused(const Status& status, const std::string& where, Counters& counters) {
  const bool version = absl::IsFailedPrecondition(status);
  uint64_t& count = version ? counters.wrong_version : counters.malformed;
  if (++count == 1)
    log_warning(where, ": dropped a message (further ones are only counted): ",
                std::string(status.message()));
}

}  // namespace oneagent::net
