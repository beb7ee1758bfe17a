#include "services/replay/checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace oneagent {

uint64_t checksum(const uint8_t* data, size_t bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

}  // namespace oneagent
