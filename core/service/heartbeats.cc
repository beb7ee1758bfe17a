#include "core/service/heartbeats.h"

#include <cstdio>

#include "core/base/log.h"

namespace oneagent {
namespace {

const StoreOptions kStoreOptions{.timeout_ms = 800, .sync = false};
constexpr int64_t kReopenNs = 500'000'000;

bool never_works(const Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsDataLoss(status) ||
         absl::IsFailedPrecondition(status) || absl::IsPermissionDenied(status);
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

bool is_over(ServiceState state) {
  return state == ServiceState::kDone || state == ServiceState::kFailed;
}

}  // namespace

Heartbeats::Heartbeats(RunPlace place, std::vector<ServiceContext*> services, int64_t period_ms,
                       int64_t lease_ms,
                       std::function<void(const std::string&, const Status&)> lost)
    : place_(std::move(place)),
      services_(std::move(services)),
      period_ms_(period_ms),
      lost_(std::move(lost)) {
  for (const ServiceContext* service : services_)
    registrations_.emplace_back(place_.run, service->service(), lease_ms);
}

Heartbeats::~Heartbeats() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    wake_.notify_all();
  }
  thread_.join();
  Store* open = store();
  for (size_t i = 0; open != nullptr && i < services_.size(); ++i)
    if (absl::IsUnavailable(registrations_[i].leave(*open, services_[i]->heartbeat()))) break;
}

Status Heartbeats::start() {
  Result<std::unique_ptr<Store>> opened = open_store(place_.store, kStoreOptions);
  if (!opened.ok() && never_works(opened.status())) return opened.status();
  if (opened.ok()) store_ = std::move(*opened);
  if (!opened.ok()) store_failed(opened.status());
  for (Registration& registration : registrations_) {
    if (store_ == nullptr || gone_since_ns_ != 0) break;
    const Status taken = registration.take(*store_);
    if (absl::IsAborted(taken) || never_works(taken)) {
      for (Registration& earlier : registrations_) earlier.give_back(*store_);
      return taken;
    }
    if (!taken.ok()) store_failed(taken);
  }
  if (store_ != nullptr)
    for (const std::string& warning : store_->warnings()) log_warning(warning);
  thread_ = std::thread([this] { run(); });
  return ok();
}

void Heartbeats::beat_now() {
  std::lock_guard lock(mutex_);
  now_ = true;
  wake_.notify_all();
}

void Heartbeats::run() {
  set_log_name("heartbeat");
  while (true) {
    const Deadline next = Deadline::after_ms(period_ms_);
    beat_all();
    std::unique_lock lock(mutex_);
    wake_.wait_until(lock, next, [&] { return stop_ || now_; });
    if (stop_) return;
    now_ = false;
  }
}

Store* Heartbeats::store() {
  if (store_ != nullptr) return store_.get();
  if (steady_ns() < next_open_ns_) return nullptr;
  Result<std::unique_ptr<Store>> opened = open_store(place_.store, kStoreOptions);
  if (!opened.ok()) {
    next_open_ns_ = steady_ns() + kReopenNs;
    store_failed(opened.status());
    return nullptr;
  }
  store_ = std::move(*opened);
  return store_.get();
}

void Heartbeats::store_failed(const Status& reason) {
  for (ServiceContext* service : services_)
    service->problem("store", std::string(reason.message()));
  if (gone_since_ns_ != 0) return;
  gone_since_ns_ = steady_ns();
  log_warning(reason.message(), "; services go on and heartbeats resume when it is back");
}

void Heartbeats::store_works() {
  if (gone_since_ns_ == 0) return;
  const std::string text =
      str("the store was out of reach for ", seconds_text(seconds_since(gone_since_ns_)));
  gone_since_ns_ = 0;
  log_info(text, "; heartbeats resume");
  for (ServiceContext* service : services_) {
    service->clear_problem("store");
    service->note_error(text);
  }
}

// A store that answers need not take what we write (a full disk, a foreign value at our key): it
// works when it has taken all.
void Heartbeats::beat_all() {
  Store* open = store();
  if (open == nullptr) return;
  if (gone_since_ns_ != 0) {
    if (const Status status = open->ping(); !status.ok()) {
      store_failed(status);
      return;
    }
  }
  for (size_t i = 0; i < services_.size(); ++i)
    if (!beat(registrations_[i], *services_[i])) return;
  store_works();
}

// A service that is over leaves its last record once. False: the store did not take it.
bool Heartbeats::beat(Registration& registration, ServiceContext& service) {
  const Heartbeat now = service.heartbeat();
  if (registration.left()) return true;
  const Status status =
      is_over(now.state) ? registration.leave(*store_, now) : registration.beat(*store_, now);
  if (absl::IsAborted(status)) lost_(service.service(), status);
  if (status.ok() || absl::IsAborted(status)) return true;
  store_failed(status);
  return false;
}

}  // namespace oneagent
