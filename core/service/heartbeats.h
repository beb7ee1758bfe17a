// Writes the heartbeats of a process's services into the store, on a thread of its own. The store
// may be gone for any time: it is logged once, kept as the problem "store" of every service, and
// beats resume when it is back.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/service/registration.h"
#include "core/service/service.h"
#include "core/strand/condition.h"

namespace oneagent {

class Heartbeats final {
 public:
  // `lost` is called, on the heartbeat thread, when another process has taken a service's name.
  Heartbeats(RunPlace place, std::vector<ServiceContext*> services, int64_t period_ms,
             int64_t lease_ms,
             std::function<void(const std::string& service, const Status& reason)> lost);
  ~Heartbeats();  // writes the last records and gives the names back
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  // Takes all names before anything runs. Aborted when a living process has one; InvalidArgument,
  // DataLoss or FailedPrecondition when the store can never work; a store that cannot be reached is
  // no error.
  Status start();
  void beat_now();  // soon, without waiting for the period

 private:
  void run();
  void beat_all();
  bool beat(Registration& registration, ServiceContext& service);
  Store* store();  // opens it when it is not open; nullptr: not now
  void store_failed(const Status& reason);
  void store_works();

  const RunPlace place_;
  const std::vector<ServiceContext*> services_;
  const int64_t period_ms_;
  const std::function<void(const std::string&, const Status&)> lost_;
  std::vector<Registration> registrations_;
  std::unique_ptr<Store> store_;
  int64_t gone_since_ns_ = 0;
  int64_t next_open_ns_ = 0;
  std::mutex mutex_;
  Condition wake_;
  bool stop_ = false;
  bool now_ = false;
  std::thread thread_;
};

}  // namespace oneagent
