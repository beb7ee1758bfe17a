// Memory of one device. The CPU allocator caches: a freed block waits in its size class (four
// classes per power of two) for the next tensor of that size, because fresh pages cost more than
// the arithmetic on them. Blocks are 64-byte aligned. Thread safe: each thread keeps a few blocks
// of its own; the rest is shared under a lock. trim() gives all idle memory back to the system.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/stream.h"

namespace oneagent {

struct AllocatorStats {
  int64_t bytes_in_use = 0;    // in blocks handed out
  int64_t bytes_reserved = 0;  // taken from the system, idle blocks included
  int64_t peak_bytes_in_use = 0;
  int64_t system_calls = 0;  // blocks taken from the system since the start
};

class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual void* allocate(size_t bytes,
                         Stream& stream) = 0;  // throws Error when the system has none
  virtual void free(void* block, size_t bytes, Stream& stream) = 0;  // bytes as given to allocate
  virtual void trim() = 0;
  virtual AllocatorStats stats() const = 0;
};

Allocator& cpu_allocator();

// The free function of a block from cpu_allocator(), in the form that Storage keeps.
void free_cpu_block(void* block, size_t bytes);

}  // namespace oneagent
