// Where the bytes of a chunk lie. Value type.
#pragma once

#include <cstdint>

namespace oneagent {

struct ChunkLocation {
  uint64_t segment = 0;
  uint64_t offset = 0;    // of the encoding, behind its record header
  uint64_t bytes = 0;     // of the encoding
  uint64_t checksum = 0;  // over those bytes
};

}  // namespace oneagent
