// JSON values (nlohmann). Include json_fwd in headers that only pass Json by reference.
#pragma once

#include <nlohmann/json.hpp>

namespace oneagent {
using Json = nlohmann::json;
}  // namespace oneagent
