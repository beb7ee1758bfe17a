#include "core/net/poller.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <cerrno>

#include "core/base/check.h"

namespace oneagent::net {

Waker::Waker() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  OA_CHECK(descriptor_ >= 0, "eventfd failed, error ", errno);
}

Waker::~Waker() { ::close(descriptor_); }

void Waker::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written =
      ::write(descriptor_, &one, sizeof one);  // fails only when wakes are pending already
}

void Waker::run_ready() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t read = ::read(descriptor_, &count, sizeof count);
}

void Poller::add(Pollable& pollable) { pollables_.push_back(&pollable); }

bool Poller::run_once(Deadline deadline) {
  items_.clear();
  int64_t sleep_ms = deadline.left_ms();
  for (Pollable* pollable : pollables_) {
    items_.push_back({pollable->socket(), pollable->descriptor(), ZMQ_POLLIN, 0});
    sleep_ms = std::min(sleep_ms, pollable->due_ms());
  }
  const int ready =
      zmq_poll(items_.data(), static_cast<int>(items_.size()), static_cast<long>(sleep_ms));
  OA_CHECK(ready >= 0 || zmq_errno() == EINTR, "zmq_poll: ", zmq_strerror(zmq_errno()));
  bool ran = false;
  for (size_t i = 0; i < pollables_.size(); ++i) {
    if (items_[i].revents == 0 && pollables_[i]->due_ms() > 0) continue;
    pollables_[i]->run_ready();
    ran = true;
  }
  return ran;
}

}  // namespace oneagent::net
