// Jobs go out to workers and results come back; one thread, the owner, counts those under way.
#pragma once

#include "core/torch/data/detail/queue.h"

namespace oneagent::data::detail {

template <class Job, class Result>
class DataShuttle {
 public:
  // The owner's side.
  void push_job(Job job) {
    jobs_.push(std::move(job));
    ++in_flight_;
  }
  // The next result, or nothing where no job is under way. Error: a timeout.
  std::optional<Result> pop_result(
      std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    if (in_flight_ == 0) return std::nullopt;
    std::optional<Result> result = results_.pop(timeout);
    --in_flight_;
    return result;
  }
  // Drops the jobs that nobody has taken yet, and waits for the results of the others.
  void drain() {
    in_flight_ -= jobs_.clear();
    while (in_flight_ > 0) pop_result();
  }
  size_t in_flight_jobs() const noexcept { return in_flight_; }

  // The workers' side.
  Job pop_job() { return jobs_.pop(); }
  void push_result(Result result) { results_.push(std::move(result)); }

 private:
  Queue<Job> jobs_;
  size_t in_flight_ = 0;
  Queue<Result> results_;
};

}  // namespace oneagent::data::detail
