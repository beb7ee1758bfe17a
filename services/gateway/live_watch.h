// Looks at the store and the metric files every refresh_ms on its own thread and publishes what is
// new. It is the only reader of the store, so that a slow or lost store delays a picture and never
// an answer.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/json.h"
#include "core/store/store.h"
#include "core/strand/condition.h"
#include "services/gateway/event_hub.h"
#include "services/gateway/run_folder.h"

namespace oneagent {

class LiveWatch final {
 public:
  static constexpr int64_t kInterestMs =
      30000;  // a run is looked at for this long after somebody asked
  static constexpr int64_t kFirstAnswerMs =
      60;  // how long an answer waits for the first look at a run
  static constexpr int64_t kEventBytes = 256 << 10;

  // Borrows all; the store is used on the watch's thread only. Starts at once. `own_run` may be "".
  LiveWatch(const RunFolder& folder, Store& store, EventHub& hub, std::string own_run,
            int refresh_ms);
  ~LiveWatch();  // stop()
  LiveWatch(const LiveWatch&) = delete;
  LiveWatch& operator=(const LiveWatch&) = delete;

  // The newest look at a run's services: the status of core/service with "time_ms", "text" and
  // "note" (why there are no rows, or ""). Any thread.
  Json services(const std::string& run);
  // {"ok","error","seen_ms"} of the last call to the store.
  Json store_state() const;
  void stop();

 private:
  void loop();
  void look();
  bool look_at_services(const std::string& run);  // false: the store is gone
  void look_at_metrics(const std::string& run);
  void look_at_names();
  std::vector<std::string> wanted_runs();

  const RunFolder& folder_;
  Store& store_;
  EventHub& hub_;
  const std::string own_run_;
  const int refresh_ms_;

  std::vector<std::string> names_;  // watch thread only
  std::map<std::string, std::map<std::string, int64_t>>
      cursors_;  // run -> service -> byte cursor; watch thread only

  mutable std::mutex mutex_;
  Condition wake_;
  Condition looked_;
  bool stopping_ = false;
  bool hurry_ = false;
  std::map<std::string, int64_t> asked_ms_;
  std::map<std::string, Json> services_;
  std::string store_error_;
  int64_t store_seen_ms_ = 0;
  std::thread thread_;
};

}  // namespace oneagent
