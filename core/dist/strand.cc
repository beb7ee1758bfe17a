#include "core/dist/strand.h"

#include "core/base/clock.h"
#include "core/graph/context.h"

namespace oneagent::distributed {

CollectiveStrand::CollectiveStrand() : thread_([this] { run(); }) {}

CollectiveStrand::~CollectiveStrand() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void CollectiveStrand::start(const char* name, std::function<void()> job) {
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back({name, std::move(job)});
    ++started_;
  }
  changed_.notify_all();
}

void CollectiveStrand::wait(uint64_t behind) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ + behind >= started_; });
  if (failure_ == nullptr) return;
  const std::exception_ptr failure = failure_;
  lock.unlock();
  std::rethrow_exception(failure);
}

bool CollectiveStrand::busy() const {
  std::lock_guard lock(mutex_);
  return done_ < started_;
}

void CollectiveStrand::set_spans(Spans spans) {
  std::lock_guard lock(mutex_);
  spans_ = std::move(spans);
}

void CollectiveStrand::run() {
  set_num_threads(1);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return over_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    const Spans spans = spans_;
    const bool runs = failure_ == nullptr;
    lock.unlock();
    std::exception_ptr failure;
    const int64_t begin = steady_ns();
    try {
      if (runs) job.run();
    } catch (...) {
      failure = std::current_exception();
    }
    if (spans && runs) spans(job.name, begin, steady_ns());
    job.run = nullptr;  // lets go of its tensors
    lock.lock();
    if (failure != nullptr && failure_ == nullptr) failure_ = failure;
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace oneagent::distributed
