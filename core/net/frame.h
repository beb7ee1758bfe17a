// One ZeroMQ frame, and the list of frames that makes a message. Copies share the bytes (reference
// counted by ZeroMQ), so resending is cheap.
#pragma once

#include <zmq.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace oneagent::net {

class Frame {
 public:
  Frame() { zmq_msg_init(&message_); }
  explicit Frame(size_t size);
  explicit Frame(std::string_view bytes);
  // Borrows `bytes` without a copy; `owner` is let go, maybe on the I/O thread, once ZeroMQ and
  // every copy are done with them.
  Frame(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner);
  ~Frame() { zmq_msg_close(&message_); }
  Frame(const Frame& other);
  Frame& operator=(const Frame& other);
  Frame(Frame&& other) noexcept;
  Frame& operator=(Frame&& other) noexcept;

  size_t size() const { return zmq_msg_size(&message_); }
  uint8_t* data() { return static_cast<uint8_t*>(zmq_msg_data(&message_)); }
  const uint8_t* data() const {
    return static_cast<const uint8_t*>(zmq_msg_data(const_cast<zmq_msg_t*>(&message_)));
  }
  std::string_view text() const { return {reinterpret_cast<const char*>(data()), size()}; }
  zmq_msg_t* handle() { return &message_; }

 private:
  zmq_msg_t message_;
};

using Frames = std::vector<Frame>;

size_t total_bytes(const Frames& frames);

}  // namespace oneagent::net
