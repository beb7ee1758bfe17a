#include "core/net/received_header.h"

#include <cstring>
#include <limits>

namespace oneagent::net {
namespace {

constexpr size_t kMaxSegments = 64;
constexpr size_t kWord = sizeof(capnp::word);

uint32_t read_u32(const uint8_t* from) {
  uint32_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

// https://capnproto.org/encoding.html, "Serialization over a stream": segment count - 1, segment
// sizes in words, padding.
size_t header_bytes(const Frame& frame) {
  if (frame.size() < kWord) return 0;
  const size_t segments = size_t{read_u32(frame.data())} + 1;
  if (segments > kMaxSegments || frame.size() < (segments / 2 + 1) * kWord) return 0;
  size_t words = segments / 2 + 1;
  for (size_t i = 0; i < segments; ++i) words += read_u32(frame.data() + 4 * (i + 1));
  return words * kWord <= frame.size() ? words * kWord : 0;
}

ReceivedHeader::ReceivedHeader(const Frame& frame, size_t bytes, const Limits& limits)
    : keep_(frame.size() >= kCopyBelow && reinterpret_cast<uintptr_t>(frame.data()) % kWord == 0),
      frame_(keep_ ? frame : Frame()),
      copy_(keep_ ? 0 : bytes / kWord),
      words_(words_of(frame, bytes)),
      max_words_(limits.max_traversal_words),
      reader_(words_, {std::numeric_limits<uint64_t>::max(), kMaxNesting}) {}

kj::ArrayPtr<const capnp::word> ReceivedHeader::words_of(const Frame& frame, size_t bytes) {
  if (keep_) return {reinterpret_cast<const capnp::word*>(frame_.data()), bytes / kWord};
  if (bytes > 0) std::memcpy(static_cast<void*>(copy_.data()), frame.data(), bytes);
  return {copy_.data(), copy_.size()};
}

}  // namespace oneagent::net
