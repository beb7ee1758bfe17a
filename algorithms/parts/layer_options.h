// Checks that lists of layer sizes share.
#pragma once

#include <vector>

#include "core/base/check.h"

namespace oneagent {

// An Error names the first entry of the list that is below 1; `key` is its key in [algorithm].
inline void require_positive(const char* key, const std::vector<int>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    OA_REQUIRE(values[i] >= 1, "[algorithm] ", key, "[", i, "]: must be at least 1, was ",
               values[i]);
}

}  // namespace oneagent
