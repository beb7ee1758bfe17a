// A ZeroMQ socket with this project's settings: no unsent messages to peers that are away
// (immediate), quick reconnect (100 ms), heartbeats that notice a dead connection within 3 s,
// bounded frames, CURVE when the context has keys. One object, one thread. Nothing here blocks
// except wait(), and bind() for up to half a second while a predecessor lets go of the address.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/net/address.h"
#include "core/net/context.h"
#include "core/net/frame.h"

namespace oneagent::net {

class Socket {
 public:
  enum class Kind { kRouter, kDealer };

  Socket(Context& context, Kind kind);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  // Error "tcp://*:5001: the port is in use" and the like. Returns the address with the port that
  // was chosen for port 0.
  Address bind(const Address& address);
  void connect(const Address& address);

  // Sends all frames or none; false when the peer is away or its queue is full. Copies of frames
  // share their bytes.
  bool try_send(const Frames& frames);
  bool try_send_to(const Frame& peer, const Frames& frames);  // router
  // Next message, if one is there. A router's first frame, the peer's routing id, comes apart.
  bool try_receive(Frames& frames, size_t max_frames);
  bool try_receive_from(Frame& peer, Frames& frames, size_t max_frames);

  // Waits until a message is there (or, with want_send, can be sent); false at the deadline.
  bool wait(Deadline deadline, bool want_send = false);
  void* handle() const { return handle_; }

 private:
  bool receive_part(Frame& part, bool& more);

  Context& context_;
  void* handle_;
};

}  // namespace oneagent::net
