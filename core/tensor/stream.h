// An order of work on one device. Every kernel, allocation and copy takes a Stream&. On the CPU
// work is done when the call returns; parallel_for may use more threads, with chunks that do not
// depend on how many there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/tensor/device.h"

namespace oneagent {

// Runs chunk(i) for i in 0..chunks-1, on any thread, and returns when all are done.
class ParallelRunner {
 public:
  virtual ~ParallelRunner() = default;
  virtual void run(int64_t chunks, const std::function<void(int64_t chunk)>& body) = 0;
};

class Stream final {
 public:
  explicit Stream(Device device = {}) : device_(device) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device device() const { return device_; }
  void synchronize() {}  // CPU work is already done

  // nullptr: this thread alone. The runner must outlive the stream's use.
  void set_parallel_runner(ParallelRunner* runner) { runner_ = runner; }
  bool is_parallel() const { return runner_ != nullptr; }

  // Splits 0..n-1 into fixed chunks of `grain` and calls body(begin, end) for each.
  template <class Body>
  void parallel_for(int64_t n, int64_t grain, const Body& body) {
    if (runner_ == nullptr || n <= grain) {
      if (n > 0) body(int64_t{0}, n);
      return;
    }
    const int64_t chunks = (n + grain - 1) / grain;
    runner_->run(chunks,
                 [&](int64_t chunk) { body(chunk * grain, std::min(n, (chunk + 1) * grain)); });
  }

 private:
  Device device_;
  ParallelRunner* runner_ = nullptr;
};

// A point in a stream that another stream can wait for. CPU streams finish work at once, so an
// event has always happened.
class Event final {
 public:
  void record(Stream&) {}
  void wait(Stream&) const {}
  bool query() const { return true; }
};

}  // namespace oneagent
