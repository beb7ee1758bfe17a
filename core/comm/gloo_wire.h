// What ranks send each other over gloo: slots, headers, and bytes in memory. Internal to
// gloo_communicator.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/comm/traffic.h"

namespace oneagent::comm {

// Slots of gloo: the number of the group above, what it is about, the tag of a message.
enum class Topic : uint64_t { kHeader = 1, kPart = 2, kGathered = 3, kMessage = 4 };
inline uint64_t slot_of(uint64_t group, Topic topic, int tag = 0) {
  return group << 32 | static_cast<uint64_t>(topic) << 24 | static_cast<uint64_t>(tag);
}

// What precedes a part. Counts and a small part follow it at once.
struct Header {
  uint8_t kind = 0, dtype = 0, reduce = 0;
  int32_t root = 0;
  uint64_t count = 0, counts = 0, part_bytes = 0;
};

// What precedes a message; a small one follows it at once, a large one on its own.
struct MessageHeader {
  uint64_t bytes = 0;
};

using Bytes = std::span<const std::byte>;
inline Bytes bytes_at(const void* data, size_t offset, size_t bytes) {
  return {static_cast<const std::byte*>(data) + offset, bytes};
}
inline std::byte* at(void* data, size_t bytes) { return static_cast<std::byte*>(data) + bytes; }
inline void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}
inline bool is_small(size_t bytes) { return bytes <= kDirectBytes; }

}  // namespace oneagent::comm
