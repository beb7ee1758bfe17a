// Bounds on what a peer may send. All are checked before anything is allocated for the value in
// question.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oneagent::net {

struct Limits {
  size_t max_frames = 1026;  // header, packed small arrays, large arrays
  size_t max_header_bytes = 1u << 20;
  size_t max_arrays = 4096;
  size_t max_name_bytes = 256;          // of a sender or an array
  size_t max_message_bytes = 1u << 30;  // all frames together; also ZeroMQ's bound on each frame
  uint64_t max_traversal_words = 1u << 20;  // Cap'n Proto: work that a header may cause
};

}  // namespace oneagent::net
