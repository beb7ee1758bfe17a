// A service: a name and a loop. run_service.h gives it a thread, signals, heartbeats and the catch;
// several share a process in an embedded run.
//
//   class ReplayService final : public Service {
//     std::string name() const override { return "replay"; }
//     void run(ServiceContext& context) override {
//       server.bind(options.address);
//       DrainWake wake(context, [&] { server.wake(); });  // optional: cut a long wait short
//       context.ready(server.address());               // starting -> running
//       while (!context.draining()) server.serve(Deadline::after_ms(100));
//       server.flush(context.drain_deadline());        // what must not be lost
//     }
//   };
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/service/heartbeat.h"
#include "core/service/metrics.h"
#include "core/strand/condition.h"
#include "core/strand/wait_board.h"

namespace oneagent {

// What identifies a run to a service.
struct RunPlace {
  std::string run;    // "cartpole-7"
  fs::path folder;    // runs/<run>: metrics, checkpoints, weights, recordings
  std::string store;  // address for open_store
};

// What a running service says about itself and is told. Thread-safe; outlives run().
class ServiceContext final {
 public:
  ServiceContext(std::string service, RunPlace place);
  ServiceContext(const ServiceContext&) = delete;
  ServiceContext& operator=(const ServiceContext&) = delete;

  // Told.
  const std::string& service() const { return service_; }
  const RunPlace& place() const { return place_; }
  bool draining() const { return draining_.load(std::memory_order_acquire); }
  bool wait_draining(Deadline until);  // sleeps; true when draining
  Deadline drain_deadline() const;     // run() must return by then; far away while not draining

  // Says.
  void ready(std::string_view address = {});  // starting -> running
  void version(std::string_view name,
               int64_t value);  // "policy": newest weights known; the evaluator also "evaluated"
  void metric(std::string_view name, double value) { metrics_.set(name, value); }
  LatestValues& metrics() { return metrics_; }
  WaitBoard& waits() { return *waits_.load(); }
  // Another board than the context's own: one that several services of the process share. It must
  // outlive the ServiceGroup.
  void share_waits(WaitBoard& board) { waits_.store(&board); }
  // A problem that the service lives with ("disk", "cannot write segment: No space left on
  // device"). Shown until cleared.
  template <class Text>
  void problem(std::string_view kind, const Text& text) {
    set_problem(kind, str(text));
  }
  void clear_problem(std::string_view kind);
  template <class Text>
  void note_error(const Text& text) {
    set_error(str(text));
  }  // the last error, shown in status; the service goes on

  // For the runtime.
  void drain(Deadline deadline);
  void set_state(ServiceState state);
  Heartbeat heartbeat() const;  // a snapshot of all of the above

 private:
  friend class DrainWake;
  struct Trail {  // (steady ns, value), oldest first
    std::deque<std::pair<int64_t, int64_t>> points;
  };
  void set_problem(std::string_view kind, std::string text);
  void set_error(std::string text);

  struct KnownProblem {
    std::string text;
    int64_t since_ns = 0;
  };

  const std::string service_;
  const RunPlace place_;
  const int64_t started_ms_;
  std::atomic<bool> draining_{false};
  mutable std::mutex mutex_;  // of all below
  Condition drain_started_;
  int64_t drain_deadline_ns_;
  ServiceState state_ = ServiceState::kStarting;
  std::string address_;
  std::map<std::string, Trail, std::less<>> versions_;
  std::map<std::string, KnownProblem, std::less<>> problems_;
  std::string last_error_;
  LatestValues metrics_;  // has its own lock, as the board
  WaitBoard own_waits_;
  std::atomic<WaitBoard*> waits_{&own_waits_};

  std::mutex wake_mutex_;  // of the two below; held while wakes run
  std::list<std::function<void()>> wakes_;
  bool woken_ = false;
};

// While it lives, `wake` is called once when draining starts (at once if it has), on another
// thread: set a flag, wake a mailbox, stop a server. Must not block. Declare it after what `wake`
// uses: its end waits for a call in progress, and a service that ends by itself is drained later.
class DrainWake final {
 public:
  DrainWake(ServiceContext& context, std::function<void()> wake);
  ~DrainWake();
  DrainWake(const DrainWake&) = delete;
  DrainWake& operator=(const DrainWake&) = delete;

 private:
  ServiceContext& context_;
  std::list<std::function<void()>>::iterator entry_;
};

class Service {
 public:
  virtual ~Service() = default;
  virtual std::string name() const = 0;  // unique in the run: "learner", "actor-0"
  // The whole life, on the service's own thread. Returns when drained or done; throws Error on
  // failure (the runtime catches).
  virtual void run(ServiceContext& context) = 0;
  // Services of one process drain in rising stages: a stage ends before the next is told. A learner
  // (0) that checkpoints needs its replay (2) alive.
  virtual int drain_stage() const { return 1; }
};

}  // namespace oneagent
