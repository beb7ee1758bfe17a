// Splits a range into chunks of a fixed size and runs them on a fixed set of threads, the caller's
// included. Chunk borders depend on the range and the chunk size only, so results do not depend on
// the number of threads. A pool of one thread runs everything inline and starts no thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace oneagent {

class ThreadPool {
 public:
  // `threads` counts the caller: 1 starts no thread.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(begin, end) for each chunk of [0, count) and returns when all are done; rethrows the
  // first exception. One caller at a time; a call from inside a body runs inline. No allocation.
  template <class Body>
  void parallel_for(int64_t count, int64_t chunk, Body&& body) {
    run(
        count, chunk,
        [](void* context, int64_t begin, int64_t end) {
          (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
        },
        const_cast<std::remove_const_t<std::remove_reference_t<Body>>*>(&body));
  }

 private:
  using Call = void (*)(void* context, int64_t begin, int64_t end);
  struct Job {
    Call call = nullptr;
    void* context = nullptr;
    int64_t count = 0, chunk = 1;
  };

  void run(int64_t count, int64_t chunk, Call call, void* context);
  void run_inline(const Job& job);
  void work();                       // a worker's life
  void take_chunks(const Job& job);  // runs chunks until none is left
  void note_failure();

  Job job_;
  std::atomic<int64_t> next_chunk_{0};   // first index of the next chunk
  std::atomic<uint32_t> generation_{0};  // a change starts a job
  std::atomic<int> busy_{0};             // workers that have not finished the current job
  std::atomic<bool> stopping_{false};
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> workers_;
};

}  // namespace oneagent
