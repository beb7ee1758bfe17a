// Publishes one versioned value to any number of subscribers (learner -> actors: weights). A subscriber asks for what is newer than what it has and gets the newest: late
// joiners get a snapshot at once, slow ones skip versions, nobody makes the publisher wait. Heartbeats every 500 ms from a thread of its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
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

  // Any thread; never blocks. Replaces the current value. InvalidArgument when the message breaks a limit. A version at or below the current one is fine (a learner
  // that went back to a checkpoint): subscribers get it, as it was published later.
  Status publish(int64_t version, Message message);

  const Address& address() const { return address_; }
  size_t subscribers() const { return subscribers_.load(); }  // heard from within 3 s

 private:
  class Loop;  // the thread's own state

  BroadcastPublisherOptions options_;
  Codec codec_;
  uint64_t incarnation_;
  std::unique_ptr<Loop> loop_;
  Address address_;
  std::mutex mutex_;
  std::shared_ptr<const Frames> newest_;  // guarded by mutex_
  uint64_t published_ = 0;                // guarded by mutex_
  int64_t version_ = 0;                   // guarded by mutex_
  std::atomic<size_t> subscribers_{0};
  std::atomic<bool> stopping_{false};
  Waker waker_;
  std::thread thread_;
};

}  // namespace oneagent::net
