#include "core/strand/thread_pool.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace oneagent {
namespace {

thread_local bool inside_body = false;

}  // namespace

ThreadPool::ThreadPool(int threads) {
  OA_REQUIRE(threads >= 1, "thread pool: needs at least one thread, was ", threads);
  workers_.reserve(static_cast<size_t>(threads) - 1);
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  stopping_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int64_t count, int64_t chunk, Call call, void* context) {
  OA_CHECK(chunk > 0, "parallel_for: chunk must be positive, was ", chunk);
  const Job job{call, context, count, chunk};
  if (workers_.empty() || inside_body || count <= chunk) return run_inline(job);
  OA_CHECK(busy_.load() == 0, "thread pool: two callers at once");
  job_ = job;
  next_chunk_.store(0);
  busy_.store(static_cast<int>(workers_.size()));
  generation_.fetch_add(1);
  generation_.notify_all();
  take_chunks(job);
  for (int busy = busy_.load(); busy != 0; busy = busy_.load()) busy_.wait(busy);
  if (std::exception_ptr failure = std::exchange(failure_, nullptr))
    std::rethrow_exception(failure);
}

void ThreadPool::run_inline(const Job& job) {
  for (int64_t begin = 0; begin < job.count; begin += job.chunk)
    job.call(job.context, begin, std::min(begin + job.chunk, job.count));
}

void ThreadPool::work() {
  uint32_t seen = 0;
  while (true) {
    generation_.wait(seen);
    ++seen;  // one job at a time, so no generation is ever skipped
    if (stopping_.load()) return;
    take_chunks(job_);
    if (busy_.fetch_sub(1) == 1) busy_.notify_all();
  }
}

void ThreadPool::take_chunks(const Job& job) {
  inside_body = true;
  try {
    for (int64_t begin = next_chunk_.fetch_add(job.chunk); begin < job.count;
         begin = next_chunk_.fetch_add(job.chunk))
      job.call(job.context, begin, std::min(begin + job.chunk, job.count));
  } catch (...) {
    note_failure();
  }
  inside_body = false;
}

void ThreadPool::note_failure() {
  std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = std::current_exception();
  next_chunk_.store(job_.count);  // the others stop at their next chunk
}

}  // namespace oneagent
