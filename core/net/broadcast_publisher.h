// Publishes one versioned value to any number of subscribers (learner -> actors: weights). A
// subscriber asks for what is newer than what it has and gets the newest: late joiners get a
// snapshot at once, slow ones skip versions, nobody makes the publisher wait. Heartbeats every 500
// ms from a thread of its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
#include "core/net/published_value.h"
#include "core/net/socket.h"

namespace oneagent::net {

struct BroadcastPublisherOptions {
  std::string name;  // ours: "learner"
  Address address;
  int64_t heartbeat_ms = 500;
};

class BroadcastPublisher {
 public:
  BroadcastPublisher(Context& context, BroadcastPublisherOptions options);
  ~BroadcastPublisher();
  BroadcastPublisher(const BroadcastPublisher&) = delete;
  BroadcastPublisher& operator=(const BroadcastPublisher&) = delete;

  // Any thread; never blocks. Replaces the current value. A version at or below the current one is
  // fine (a learner that went back to a checkpoint): subscribers get it, as it was published later.
  // InvalidArgument when the message breaks a limit.
  Status publish(int64_t version, Message message);

  const Address& address() const { return address_; }
  size_t subscribers() const { return subscriber_count_.load(); }  // heard from within 3 s

 private:
  void run();
  PublishedValue value();

  BroadcastPublisherOptions options_;
  Codec codec_;
  uint64_t incarnation_;
  Socket socket_;  // the thread's, once it runs
  Address address_;
  std::mutex mutex_;
  PublishedValue value_;  // guarded by mutex_
  std::atomic<size_t> subscriber_count_{0};
  std::atomic<bool> stopping_{false};
  Waker waker_;
  std::thread thread_;
};

}  // namespace oneagent::net
