// The checksum of segment and journal records (XXH3, 64 bits): tells a torn or foreign record from
// a whole one. Not for hashes that people see (core/base/hash.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace oneagent {

uint64_t checksum(const uint8_t* data, size_t bytes, uint64_t seed = 0);

}  // namespace oneagent
