// A recurring moment for an owner's loop: due() is true once a period. Value type; starts no
// thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"

namespace oneagent {

class Timer {
 public:
  explicit Timer(int64_t period_ms)
      : period_ns_(period_ms * 1'000'000), next_ns_(steady_ns() + period_ns_) {}
  // True at most once a period; missed periods are not made up for.
  bool due() {
    const int64_t now = steady_ns();
    if (now < next_ns_) return false;
    next_ns_ = now + period_ns_;
    return true;
  }
  int64_t left_ms() const {
    return std::max<int64_t>(0, (next_ns_ - steady_ns() + 999'999) / 1'000'000);
  }
  void restart() { next_ns_ = steady_ns() + period_ns_; }

 private:
  int64_t period_ns_;
  int64_t next_ns_;
};

}  // namespace oneagent
