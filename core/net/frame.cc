#include "core/net/frame.h"

#include <cstring>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

using Owner = std::shared_ptr<const void>;

void release_owner(void*, void* owner) { delete static_cast<Owner*>(owner); }

}  // namespace

Frame::Frame(size_t size) {
  OA_REQUIRE(zmq_msg_init_size(&message_, size) == 0, "frame: cannot allocate ", size, " bytes");
}

Frame::Frame(std::string_view bytes) : Frame(bytes.size()) {
  if (!bytes.empty()) std::memcpy(data(), bytes.data(), bytes.size());
}

Frame::Frame(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner) {
  auto held = std::make_unique<Owner>(std::move(owner));
  OA_REQUIRE(zmq_msg_init_data(&message_, const_cast<uint8_t*>(bytes.data()), bytes.size(),
                               release_owner, held.get()) == 0,
             "frame: cannot allocate the reference to ", bytes.size(), " bytes");
  held.release();  // ZeroMQ calls release_owner
}

Frame::Frame(const Frame& other) : Frame() { *this = other; }

// zmq_msg_copy marks the source as shared, which does not change what it holds.
Frame& Frame::operator=(const Frame& other) {
  if (this != &other)
    OA_CHECK(zmq_msg_copy(&message_, const_cast<zmq_msg_t*>(&other.message_)) == 0,
             "zmq_msg_copy: ", zmq_strerror(zmq_errno()));
  return *this;
}

Frame::Frame(Frame&& other) noexcept : Frame() { zmq_msg_move(&message_, &other.message_); }

Frame& Frame::operator=(Frame&& other) noexcept {
  if (this != &other) zmq_msg_move(&message_, &other.message_);
  return *this;
}

size_t total_bytes(const Frames& frames) {
  size_t total = 0;
  for (const Frame& frame : frames) total += frame.size();
  return total;
}

}  // namespace oneagent::net
