#include "core/net/schema_version.h"

#include "core/base/text.h"
#include "core/base/version.h"

namespace oneagent::net {

Status check_schema_version(int64_t version, const std::string& sender) {
  if (version == kSchemaVersion) return ok();
  return absl::FailedPreconditionError(str("schema version: ", sender.empty() ? "the peer" : sender,
                                           " sent version ", version, ", this process (",
                                           code_version(), ") speaks version ", kSchemaVersion));
}

}  // namespace oneagent::net
