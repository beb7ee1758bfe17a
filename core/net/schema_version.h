// Refusal of messages of another schema version. Internal to the codec.
#pragma once

#include <string>

#include "core/base/result.h"

namespace oneagent::net {

// OK, or FailedPrecondition with one sentence that names both versions and the sender.
Status check_schema_version(int64_t version, const std::string& sender);

}  // namespace oneagent::net
