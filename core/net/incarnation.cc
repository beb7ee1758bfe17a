#include "core/net/incarnation.h"

#include <unistd.h>

#include <atomic>

#include "core/base/clock.h"

namespace oneagent::net {

// Milliseconds in the upper 44 bits; a count within the process and the process id below.
uint64_t make_incarnation() {
  static std::atomic<uint64_t> count{0};
  const uint64_t low = (count.fetch_add(1) << 12 ^ static_cast<uint64_t>(::getpid())) & 0xfffff;
  return static_cast<uint64_t>(wall_ms()) << 20 | low;
}

}  // namespace oneagent::net
