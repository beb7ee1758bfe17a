// A block of scratch memory from the CPU allocator, for the time of one kernel.
#pragma once

#include "core/tensor/allocator.h"

namespace oneagent {

class Scratch {
 public:
  Scratch(Stream& stream, size_t bytes)
      : stream_(stream), bytes_(bytes), data_(cpu_allocator().allocate(bytes, stream)) {}
  ~Scratch() { cpu_allocator().free(data_, bytes_, stream_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Stream& stream_;
  size_t bytes_;
  void* data_;
};

}  // namespace oneagent
