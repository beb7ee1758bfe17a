// What a pattern has seen; services publish it with their metrics. Plain numbers, owned by the
// pattern's thread.
#pragma once

#include <cstdint>

namespace oneagent::net {

struct Counters {
  uint64_t messages = 0;  // good ones
  uint64_t bytes = 0;
  uint64_t malformed = 0;      // dropped
  uint64_t wrong_version = 0;  // refused
  uint64_t duplicates = 0;     // recognised and not handled again
  uint64_t gaps = 0;           // streams: a message was missing before this one
  uint64_t resent = 0;
};

}  // namespace oneagent::net
