#include "core/service/registration.h"

#include <chrono>
#include <thread>

#include "core/base/text.h"
#include "core/service/host.h"

namespace oneagent {

Registration::Registration(std::string run, std::string service, int64_t lease_ms)
    : run_(std::move(run)),
      service_(std::move(service)),
      key_(service_key(run_, service_)),
      owner_(new_process_owner()),
      lease_ms_(lease_ms) {}

Status Registration::refused(const std::string& holder) const {
  return absl::AbortedError(str("service ", service_, " of run ", run_, " is already running as ",
                                describe_owner(holder),
                                "; stop it first, or give this one another name"));
}

Status Registration::renew(Store& store) {
  Result<Lease> lease = store.acquire(key_, owner_, lease_ms_);
  if (lease.ok()) lease_ = *lease;
  return lease.status();
}

Status Registration::take(Store& store) {
  std::string holder;
  Deadline give_up = Deadline::after_ms(0);
  while (true) {
    const Status status = renew(store);
    if (!absl::IsAborted(status)) return status;
    const Result<Lease> held = store.find_lease(key_);
    if (absl::IsNotFound(held.status())) continue;
    if (!held.ok()) return held.status();
    if (owner_is_dead(held->owner)) {
      (void)store.release(*held);
      continue;
    }
    if (holder.empty()) {
      holder = held->owner;
      give_up = Deadline::after_ms(held->left_ms + 100);
    }
    if (give_up.expired() || held->owner != holder) return refused(held->owner);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Status Registration::beat(Store& store, const Heartbeat& beat) {
  const Status renewed = renew(store);
  if (absl::IsAborted(renewed)) {
    const Result<Lease> held = store.find_lease(key_);
    return refused(held.ok() ? held->owner : "another process");
  }
  OA_RETURN_IF_ERROR(renewed);
  return store.put(key_, to_json(beat).dump()).status();
}

void Registration::give_back(Store& store) {
  if (lease_.token != 0) (void)store.release(lease_);
  lease_ = {};
}

Status Registration::leave(Store& store, const Heartbeat& last) {
  if (left_ || lease_.token == 0) return ok();
  OA_RETURN_IF_ERROR(store.put(key_, to_json(last).dump()).status());
  const Status released = store.release(lease_);
  if (!released.ok() && !absl::IsNotFound(released)) return released;
  left_ = true;
  return ok();
}

}  // namespace oneagent
