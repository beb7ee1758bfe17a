// The OpenAPI 3 document of the gateway, made from its routes.
#pragma once

#include <vector>

#include "core/base/json.h"
#include "services/gateway/api.h"

namespace oneagent {

Json openapi_document(const std::vector<Route>& routes);

}  // namespace oneagent
