// A service's place in the store: a lease that says it lives and a record that says how it is.
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/service/heartbeat.h"
#include "core/store/store.h"

namespace oneagent {

class Registration final {
 public:
  Registration(std::string run, std::string service, int64_t lease_ms);

  // Takes the name. A dead predecessor on this host is replaced at once, one elsewhere when its
  // lease has run out (that wait is the only blocking). Aborted: a living process has the name.
  // Unavailable: the store is gone; beat() takes the name later.
  Status take(Store& store);
  // Renews the lease, or takes it again if it ran out while the store was away, and writes the
  // record. Aborted as above.
  Status beat(Store& store, const Heartbeat& beat);
  // The last record, without the lease. After it succeeded once it does nothing.
  Status leave(Store& store, const Heartbeat& last);

  // Ends the lease without a record: nothing ran.
  void give_back(Store& store);

  bool left() const { return left_; }
  const std::string& service() const { return service_; }

 private:
  Status renew(Store& store);
  Status refused(const std::string& holder) const;

  std::string run_;
  std::string service_;
  std::string key_;
  std::string owner_;
  int64_t lease_ms_;
  Lease lease_;
  bool left_ = false;
};

}  // namespace oneagent
