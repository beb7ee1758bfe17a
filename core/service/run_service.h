// Runs services: one per process in a distributed run, several in an embedded one. Each gets a thread with one catch, a registration
// with heartbeats, and is drained on SIGTERM or SIGINT. A second SIGINT ends the process at once (exit 130).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/service/service.h"

namespace oneagent {

inline constexpr int kExitDrained = 0;            // drained, or done
inline constexpr int kExitFailure = 1;            // a service threw, or did not drain in time
inline constexpr int kExitBadConfiguration = 2;   // it could not be made, or its name is taken

struct RunServiceOptions {
  int heartbeat_ms = 500;
  int lease_ms = 2000;
  int drain_ms = 8000;       // SIGTERM to exit; compose kills after 20 s
  bool handle_signals = true;
  static void options(OptionList<RunServiceOptions>& list);
};

// A set of services in one process. When one ends by itself ("done") or fails, the others are drained, stage by stage.
class ServiceGroup final {
 public:
  ServiceGroup(RunPlace place, std::vector<std::unique_ptr<Service>> services, RunServiceOptions options = {});
  ~ServiceGroup();                        // drains what still runs
  ServiceGroup(const ServiceGroup&) = delete;
  ServiceGroup& operator=(const ServiceGroup&) = delete;

  void start();                           // threads and registration; Error when a name is taken by a living service
  void drain();                           // asks; returns at once
  bool wait(Deadline until);              // true when all have ended
  int exit_code() const;                  // after wait() returned true
  std::string error() const;              // of the first that failed, "learner: loss is NaN"; else ""
  std::vector<Heartbeat> heartbeats() const;   // of all, now: for a progress display in this process
  ServiceContext& context(std::string_view service);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Makes the services, runs them until done, drained or failed, and returns the exit code. An Error from `make` is a bad configuration.
// Blocks the calling thread; `tick` (optional) is called there about every 100 ms, for a progress display.
int run_services(const RunPlace& place, const std::function<std::vector<std::unique_ptr<Service>>()>& make,
                 const RunServiceOptions& options = {}, const std::function<void(ServiceGroup&)>& tick = {});
int run_service(const RunPlace& place, const std::function<std::unique_ptr<Service>()>& make,
                const RunServiceOptions& options = {});

}  // namespace oneagent
