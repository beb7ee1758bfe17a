#include "core/net/received_header.h"

#include <cstring>
#include <limits>

namespace oneagent::net {
namespace {

kj::ArrayPtr<const capnp::word> aligned_words(const Frame& frame, std::vector<capnp::word>& copy) {
  const size_t count = frame.size() / sizeof(capnp::word);
  if (reinterpret_cast<uintptr_t>(frame.data()) % alignof(uint64_t) == 0)
    return {reinterpret_cast<const capnp::word*>(frame.data()), count};
  copy.resize(count);
  if (count > 0) std::memcpy(static_cast<void*>(copy.data()), frame.data(), count * sizeof(capnp::word));
  return {copy.data(), count};
}

}  // namespace

ReceivedHeader::ReceivedHeader(Frame frame, const Limits& limits)
    : frame_(std::move(frame)), words_(aligned_words(frame_, copy_)), max_words_(limits.max_traversal_words),
      reader_(words_, {std::numeric_limits<uint64_t>::max(), kMaxNesting}) {}

}  // namespace oneagent::net
