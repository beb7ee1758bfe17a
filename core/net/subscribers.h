// Who listens to a publisher and what each has. Internal to BroadcastPublisher; lives on its
// thread.
#pragma once

#include <map>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
#include "core/net/published_value.h"
#include "core/net/socket.h"
#include "core/strand/timer.h"

namespace oneagent::net {

class Subscribers final : public Pollable {
 public:
  struct Options {
    std::string name;
    Address address;
    uint64_t incarnation = 0;
    int64_t heartbeat_ms = 500;
  };

  Subscribers(Socket& socket, const Codec& codec, Options options);

  // Sends the value to each subscriber that asked and has an older one.
  void offer(const PublishedValue& value);
  size_t count() const { return subscribers_.size(); }

  void* socket() const override { return socket_.handle(); }
  void run_ready() override;
  int64_t due_ms() const override { return heartbeat_.left_ms(); }

 private:
  static constexpr size_t kMaxSubscribers = 4096;
  struct Subscriber {
    Frame peer;
    uint64_t have = 0;   // count of the value it has, of this publisher's
    bool asked = false;  // and not yet answered
    int64_t heard_ns = 0;
  };

  void handle(const Frame& peer, Frames frames);
  void note_want(const Frame& peer, const Message& want);
  void send_heartbeats();
  void forget_silent();
  void answer(const Frame& peer, Message message);

  Socket& socket_;
  const Codec& codec_;
  Options options_;
  Timer heartbeat_;
  std::map<std::string, Subscriber> subscribers_;  // by routing id
  PublishedValue newest_;
  Counters counters_;
};

}  // namespace oneagent::net
