// Time: a steady clock in nanoseconds, wall time in milliseconds, CPU seconds of this process,
// deadlines.
#pragma once

#include <chrono>
#include <cstdint>

namespace oneagent {

int64_t steady_ns();
int64_t wall_ms();     // milliseconds since the Unix epoch
double cpu_seconds();  // user + system time of this process
inline double seconds_since(int64_t start_ns) {
  return static_cast<double>(steady_ns() - start_ns) * 1e-9;
}

// A moment after which a wait gives up. Value type.
class Deadline {
 public:
  static Deadline after_ms(int64_t timeout_ms) {
    return Deadline(steady_ns() + timeout_ms * 1'000'000);
  }
  static Deadline after(std::chrono::nanoseconds timeout) {
    return Deadline(steady_ns() + timeout.count());
  }
  bool expired() const { return steady_ns() >= at_ns_; }
  int64_t left_ms() const;  // at least 0
  int64_t at_ns() const { return at_ns_; }

 private:
  explicit Deadline(int64_t at_ns) : at_ns_(at_ns) {}
  int64_t at_ns_;
};

}  // namespace oneagent
