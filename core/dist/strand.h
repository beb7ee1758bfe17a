// A thread of a rank that runs its collectives beside compute, in the order in which they are
// started. It uses groups of its own (World::group_beside), so that collectives of the two threads
// never meet.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace oneagent::distributed {

class CollectiveStrand {
 public:
  // Told of each job that has ended, on the strand's thread: its name, when it began and ended.
  using Spans = std::function<void(const std::string& name, int64_t begin_ns, int64_t end_ns)>;

  CollectiveStrand();
  ~CollectiveStrand();  // waits for what is under way
  CollectiveStrand(const CollectiveStrand&) = delete;
  CollectiveStrand& operator=(const CollectiveStrand&) = delete;

  void start(const char* name, std::function<void()> job);
  // Until all but the last `behind` jobs are through. Throws what the first that failed threw;
  // those behind that one are not run.
  void wait(uint64_t behind = 0);
  bool busy() const;
  void set_spans(Spans spans);  // null: none

 private:
  struct Job {
    const char* name;
    std::function<void()> run;
  };
  void run();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  uint64_t started_ = 0, done_ = 0;
  std::exception_ptr failure_;
  Spans spans_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace oneagent::distributed
