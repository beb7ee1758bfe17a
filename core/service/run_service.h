// Runs services: one per process in a distributed run, several in an embedded one. Each gets a
// thread with one catch, a registration with heartbeats, and is drained on SIGTERM or SIGINT. A
// second SIGINT ends the process at once (exit 130).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/options.h"
#include "core/service/heartbeats.h"
#include "core/service/service.h"
#include "core/strand/condition.h"

namespace oneagent {

inline constexpr int kExitDrained = 0;           // drained, or done
inline constexpr int kExitFailure = 1;           // a service threw, or did not drain in time
inline constexpr int kExitBadConfiguration = 2;  // it could not be made, or its name is taken

struct RunServiceOptions {
  int heartbeat_ms = 500;
  int lease_ms = 2000;
  int drain_ms = 8000;  // SIGTERM to exit; compose kills after 20 s
  bool handle_signals = true;
  static void options(OptionList<RunServiceOptions>& list);
};

// A set of services in one process. When one ends by itself ("done") or fails, the others are
// drained, stage by stage.
class ServiceGroup final {
 public:
  ServiceGroup(RunPlace place, std::vector<std::unique_ptr<Service>> services,
               RunServiceOptions options = {});
  ~ServiceGroup();  // drains what still runs
  ServiceGroup(const ServiceGroup&) = delete;
  ServiceGroup& operator=(const ServiceGroup&) = delete;

  void start();  // threads and registration; Error when a name is taken by a living service
  void drain();  // asks; returns at once
  bool draining() const;      // asked, or one has ended
  bool wait(Deadline until);  // true when all have ended
  int exit_code() const;      // 0 unless a service failed
  std::string error() const;  // of the first that failed, "learner: loss is NaN"; else ""
  std::vector<Heartbeat> heartbeats() const;  // of all, now: for a progress display in this process
  ServiceContext& context(std::string_view service);

 private:
  struct Member;  // a service, its context and its thread
  void run(Member& member);
  bool may_run();
  void leave(Member& member);
  void ended(Member& member);
  void supervise();  // on a thread: drains stage by stage
  void drain_stage(int stage, Deadline until);

  const RunServiceOptions options_;
  std::vector<std::unique_ptr<Member>> members_;
  std::unique_ptr<Heartbeats> heartbeats_;
  mutable std::mutex mutex_;  // of what follows
  Condition changed_;
  bool draining_ = false;
  int running_ = 0;
  enum class Gate : uint8_t { kClosed, kOpen, kRefused } gate_ = Gate::kClosed;  // of all services
  std::string error_;
  int64_t drain_until_ns_ = 0;
  std::thread supervisor_;
};

// Makes the services, runs them until done, drained or failed, and returns the exit code. An Error
// from `make` is a bad configuration. Blocks the calling thread; `tick` (optional) is called there
// about every 100 ms, for a progress display.
int run_services(const RunPlace& place,
                 const std::function<std::vector<std::unique_ptr<Service>>()>& make,
                 const RunServiceOptions& options = {},
                 const std::function<void(ServiceGroup&)>& tick = {});
int run_service(const RunPlace& place, const std::function<std::unique_ptr<Service>()>& make,
                const RunServiceOptions& options = {});

}  // namespace oneagent
