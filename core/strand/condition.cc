#include "core/strand/condition.h"

#include "core/base/check.h"

namespace oneagent {

Condition::Condition() {
  pthread_condattr_t attributes;
  OA_CHECK(pthread_condattr_init(&attributes) == 0, "pthread_condattr_init failed");
  OA_CHECK(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0, "no monotonic clock");
  OA_CHECK(pthread_cond_init(&condition_, &attributes) == 0, "pthread_cond_init failed");
  pthread_condattr_destroy(&attributes);
}

Condition::~Condition() { pthread_cond_destroy(&condition_); }

void Condition::wait(std::unique_lock<std::mutex>& lock) {
  pthread_cond_wait(&condition_, lock.mutex()->native_handle());
}

bool Condition::wait_once(std::unique_lock<std::mutex>& lock, Deadline deadline) {
  const int64_t at = deadline.at_ns();
  const timespec when{static_cast<time_t>(at / 1'000'000'000),
                      static_cast<long>(at % 1'000'000'000)};
  return pthread_cond_timedwait(&condition_, lock.mutex()->native_handle(), &when) == 0;
}

}  // namespace oneagent
