// A condition variable with deadlines on the monotonic clock: setting the wall clock never shortens
// or lengthens a wait. (std::condition_variable of libstdc++ 12 waits through
// pthread_cond_clockwait, which ThreadSanitizer of gcc 12 does not know.)
#pragma once

#include <pthread.h>

#include <mutex>

#include "core/base/clock.h"

namespace oneagent {

class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void notify_one() { pthread_cond_signal(&condition_); }
  void notify_all() { pthread_cond_broadcast(&condition_); }
  // Returns when woken, which may happen for no reason; the caller checks its predicate again.
  void wait(std::unique_lock<std::mutex>& lock);
  // True when ready() holds; false when the deadline passed first.
  template <class Ready>
  bool wait_until(std::unique_lock<std::mutex>& lock, Deadline deadline, Ready ready) {
    while (!ready())
      if (!wait_once(lock, deadline)) return ready();
    return true;
  }

 private:
  bool wait_once(std::unique_lock<std::mutex>& lock,
                 Deadline deadline);  // false when the deadline has passed

  pthread_cond_t condition_;
};

}  // namespace oneagent
