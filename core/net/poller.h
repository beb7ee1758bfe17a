// Runs several patterns on one thread: sleeps until one of them has something to do.
//
//   Poller poller; poller.add(server); poller.add(receiver); poller.add(waker);
//   while (!draining) poller.run_once(Deadline::after_ms(100));
#pragma once

#include <zmq.h>

#include <cstdint>
#include <vector>

#include "core/base/clock.h"

namespace oneagent::net {

// What a Poller can run. All calls come from the poller's thread.
class Pollable {
 public:
  virtual ~Pollable() = default;
  virtual void* socket() const = 0;  // ZeroMQ socket, or nullptr with a file descriptor
  virtual int descriptor() const { return -1; }
  virtual void
  run_ready() = 0;  // handles what has come, a bounded amount, and what is due; never blocks
  virtual int64_t due_ms() const {
    return 1'000'000;
  }  // run_ready is wanted again after this time even if nothing comes
};

// Wakes a Poller from any thread.
class Waker final : public Pollable {
 public:
  Waker();
  ~Waker() override;
  void wake();
  void* socket() const override { return nullptr; }
  int descriptor() const override { return descriptor_; }
  void run_ready() override;

 private:
  int descriptor_;
};

// Borrows the pollables; they must outlive it.
class Poller {
 public:
  void add(Pollable& pollable);
  // Sleeps until something is ready or due, at most until the deadline; then calls run_ready of
  // those. True when any ran.
  bool run_once(Deadline deadline);

 private:
  std::vector<Pollable*> pollables_;
  std::vector<zmq_pollitem_t> items_;
};

}  // namespace oneagent::net
