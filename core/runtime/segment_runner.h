// Runs a SegmentGraph: one thread a strand, no thread above them. Two counters join a producer to a
// reader: `ready`, tokens filled, written by the producer after its function has returned, and
// `ack`, tokens read, written by the reader after its function has returned. On one strand a
// hand-over is two additions. Between strands the counters that one strand writes for another
// share a cache line; a strand that can fire nothing looks again for at most spin_us, then parks,
// and whoever writes to it wakes it.
//
// run() waits with the watchdog in hand: when no segment has fired for report_ms it writes to the
// log and to the wait board which cycle or which segment everybody waits for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/segment_graph.h"
#include "core/runtime/trace.h"
#include "core/runtime/wait_graph.h"
#include "core/strand/strand.h"
#include "core/strand/wait_board.h"

namespace oneagent {

struct SegmentRunnerOptions {
  int64_t spin_us = 20;
  int64_t report_ms = 5000;  // no firing for so long is reported, once for each such pause
  int64_t give_up_ms = 0;    // and for so long ends the run; 0: never
  int64_t leave_ms = 5000;   // how long an aborted run waits for functions to return
  Trace* trace = nullptr;    // spans by lane "graph/strand"; must outlive the runner; null: none
};

class SegmentRunner {
 public:
  // Compiles the graph (errors as there) and starts its strands. The board must outlive the runner.
  SegmentRunner(SegmentGraph graph, WaitBoard& board, const SegmentRunnerOptions& options = {});
  ~SegmentRunner();  // aborts; waits for functions that still run
  SegmentRunner(const SegmentRunner&) = delete;
  SegmentRunner& operator=(const SegmentRunner&) = delete;

  // Runs `steps` steps; later steps begin while earlier ones run, as far as credits go. One caller
  // at a time. Ok: every segment fired per_step * steps times. Internal: a segment threw (its name,
  // firing and words). Cancelled: abort(). DeadlineExceeded: give_up_ms, with who waits for whom.
  // After an error the next run starts from empty slots again. Unavailable: a function of an
  // aborted run has not returned.
  Status run(int64_t steps);
  // Any thread. The run in progress, or else the next one, ends as soon as the functions that run
  // return.
  void abort(const std::string& reason);
  // Any thread: what each segment that has firings left waits for, and what functions wait for that
  // are on the board under their segment's name.
  std::vector<Wait> waits() const;
  // The watchdog's sentence about them.
  std::string describe() const;
  const SegmentGraph& graph() const { return graph_; }

 private:
  static constexpr size_t kLine = 128;  // two cache lines, which processors fetch together
  using Counter = std::atomic<int64_t>;
  struct alignas(kLine) Line {
    std::array<Counter, kLine / sizeof(Counter)> counters{};
  };
  // Blocks of whole lines: what one strand writes shares none with what another writes.
  template <class T>
  struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(size_t count) {
      const size_t bytes = (count * sizeof(T) + kLine - 1) / kLine * kLine;
      return static_cast<T*>(::operator new(bytes, std::align_val_t(kLine)));
    }
    void deallocate(T* block, size_t) { ::operator delete(block, std::align_val_t(kLine)); }
    bool operator==(const LineAllocator&) const { return true; }
  };
  template <class T>
  using LineVector = std::vector<T, LineAllocator<T>>;

  struct Edge {                // one end of a slot: towards its producer, or towards one reader
    Counter* ready = nullptr;  // tokens filled; written by the producer
    Counter* ack = nullptr;    // tokens read; written by the reader
    int slot = -1;
    int peer = -1;  // the segment at the other end
    int tokens = 1, places = 1;
    int64_t mine = 0;  // tokens taken (a reader) or made (a producer)
    int64_t seen = 0;  // the other's counter, when last looked at
  };
  struct alignas(kLine) Unit {  // a segment; used by its strand alone but for the atomics
    LineVector<Edge> takes, gives;
    LineVector<Firing::Port> consumed, produced;
    std::vector<int> others;  // strands at the far ends of its slots
    const SegmentFunction* function = nullptr;
    const std::string* trace_name = nullptr;
    Firing firing;
    std::atomic<int64_t> fired{0};
    std::atomic<int64_t> target{0};  // `fired` at the end of this run
  };
  struct alignas(kLine) Lane {        // a strand
    std::atomic<bool> parked{false};  // this and the bell are written by others
    std::atomic<uint32_t> bell{0};
    alignas(kLine) std::atomic<int> running{-1};  // segment; -1: none
    std::atomic<int64_t> firings{0};              // for the watchdog
    std::atomic<size_t> next{0};  // place in the order, or where the search for work starts
    int64_t left = 0;             // firings of this run
    TraceLane* trace = nullptr;
  };

  void make_units();
  void make_counters();
  void reset();
  void run_lane(int index);
  int next_to_fire(int index);
  static bool can_fire(Unit& unit);
  void fire(Lane& lane, int id);
  int wait_for_work(int index);  // a segment, or -1: the run is given up
  int park(int index);           // the same, or -1 also when woken
  void ring(Lane& lane, bool always);
  void fail(const Status& status);
  Status forget_error();  // with the lock held; what it was
  Status failure_of(int index, std::string_view words) const;
  Status watch(std::unique_lock<std::mutex>& lock);
  bool wait_of(int id, Wait& wait) const;  // false: it runs, or has no firings left
  int64_t all_firings() const;
  std::string board_name(int segment) const;

  const SegmentGraph graph_;
  WaitBoard& board_;
  const SegmentRunnerOptions options_;
  const std::string* trace_wait_ = nullptr;
  std::unique_ptr<Line[]> lines_;
  std::unique_ptr<Unit[]> units_;
  std::unique_ptr<Lane[]> lanes_;
  std::atomic<bool> abort_{false};
  std::mutex mutex_;
  Condition ended_;
  int running_ = 0;     // strands in the run; guarded by mutex_
  Status status_;       // the first error of the run; guarded by mutex_
  bool told_ = false;   // the caller knows of it already; guarded by mutex_
  bool dirty_ = false;  // an error left the slots as they were; guarded by mutex_
  std::vector<std::unique_ptr<Strand>> strands_;  // last: their threads end first
};

}  // namespace oneagent
