#include "core/service/run_service.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <set>
#include <system_error>

#include "core/base/log.h"
#include "core/service/stop_signals.h"

namespace oneagent {
namespace {

constexpr int64_t kStageGraceMs =
    1000;  // what a stage leaves to each later one when it does not end in time
constexpr int64_t kTickMs = 100;

}  // namespace

void RunServiceOptions::options(OptionList<RunServiceOptions>& list) {
  list.add("heartbeat_ms", &RunServiceOptions::heartbeat_ms, "time between two heartbeats")
      .between(10, 60'000);
  list.add("lease_ms", &RunServiceOptions::lease_ms, "a service silent for this long is lost")
      .between(50, 600'000);
  list.add("drain_ms", &RunServiceOptions::drain_ms, "time from SIGTERM to exit")
      .between(100, 600'000);
  list.add("handle_signals", &RunServiceOptions::handle_signals, "drain on SIGTERM and SIGINT");
}

struct ServiceGroup::Member {
  std::unique_ptr<Service> service;
  ServiceContext context;
  std::thread thread;
  bool over = false;

  Member(std::unique_ptr<Service> owned, const RunPlace& place)
      : service(std::move(owned)), context(service->name(), place) {}
};

ServiceGroup::ServiceGroup(RunPlace place, std::vector<std::unique_ptr<Service>> services,
                           RunServiceOptions options)
    : options_(options) {
  std::set<std::string> names;
  std::vector<ServiceContext*> contexts;
  for (std::unique_ptr<Service>& service : services) {
    OA_REQUIRE(names.insert(service->name()).second, "service ", service->name(),
               ": the name is used twice in this process");
    members_.push_back(std::make_unique<Member>(std::move(service), place));
    contexts.push_back(&members_.back()->context);
  }
  heartbeats_ = std::make_unique<Heartbeats>(
      std::move(place), std::move(contexts), options.heartbeat_ms, options.lease_ms,
      [this](const std::string& service, const Status& reason) {
        log_error(reason.message());
        {
          std::lock_guard lock(mutex_);
          if (error_.empty()) error_ = str(service, ": ", reason.message());
        }
        drain();
      });
}

ServiceGroup::~ServiceGroup() {
  drain();
  for (const auto& member : members_)
    if (member->thread.joinable()) member->thread.join();
  if (supervisor_.joinable()) supervisor_.join();
  heartbeats_.reset();
}

void ServiceGroup::start() {
  const Status registered = heartbeats_->start();
  OA_REQUIRE(registered.ok(), registered.message());
  running_ = static_cast<int>(members_.size());
  const auto set_gate = [this](Gate gate) {
    std::lock_guard lock(mutex_);
    gate_ = gate;
    changed_.notify_all();
  };
  try {  // the supervisor first: members end only by its word
    supervisor_ = std::thread([this] { supervise(); });
    for (const auto& member : members_)
      member->thread = std::thread([this, &member] { run(*member); });
    set_gate(Gate::kOpen);
  } catch (const std::exception& error) {  // system_error, or bad_alloc
    for (const auto& member : members_)
      if (!member->thread.joinable()) leave(*member);
    set_gate(Gate::kRefused);
    throw_error(
        str("cannot start a thread for each of ", members_.size(), " services: ", error.what()));
  }
}

// All services start, or none: with too little memory for a thread, none that runs already may
// come to need more.
bool ServiceGroup::may_run() {
  std::unique_lock lock(mutex_);
  while (gate_ == Gate::kClosed) changed_.wait(lock);
  return gate_ == Gate::kOpen;
}

void ServiceGroup::leave(Member& member) {
  std::lock_guard lock(mutex_);
  member.over = true;
  --running_;
  changed_.notify_all();
}

// The one catch of a service's strand.
void ServiceGroup::run(Member& member) {
  if (!may_run()) return leave(member);
  const std::string& name = member.context.service();
  set_log_name(name);
  ::pthread_setname_np(::pthread_self(), name.substr(0, 15).c_str());
  try {
    member.service->run(member.context);
    member.context.set_state(ServiceState::kDone);
  } catch (const std::exception& error) {
    const std::string what =
        dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? "out of memory" : error.what();
    log_error(what);
    member.context.note_error(what);
    member.context.set_state(ServiceState::kFailed);
    std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = str(name, ": ", what);
  }
  ended(member);
}

void ServiceGroup::ended(Member& member) {
  leave(member);
  drain();
  heartbeats_->beat_now();
}

void ServiceGroup::drain() {
  std::lock_guard lock(mutex_);
  if (draining_) return;
  draining_ = true;
  drain_until_ns_ = steady_ns() + options_.drain_ms * 1'000'000LL;
  changed_.notify_all();
}

void ServiceGroup::supervise() {
  set_log_name("drain");
  std::set<int> stages;
  for (const auto& member : members_) stages.insert(member->service->drain_stage());
  int64_t until_ns = 0;
  {
    std::unique_lock lock(mutex_);
    while (!draining_) changed_.wait(lock);
    until_ns = drain_until_ns_;
  }
  heartbeats_->beat_now();
  int64_t later_ms = kStageGraceMs * static_cast<int64_t>(stages.size());
  for (const int stage : stages) {
    later_ms -= kStageGraceMs;
    drain_stage(stage, Deadline::after(std::chrono::nanoseconds(until_ns - steady_ns() -
                                                                later_ms * 1'000'000)));
  }
}

void ServiceGroup::drain_stage(int stage, Deadline until) {
  std::vector<Member*> due;
  for (const auto& member : members_)
    if (member->service->drain_stage() == stage) due.push_back(member.get());
  for (Member* member : due) member->context.drain(until);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [&] {
    return std::all_of(due.begin(), due.end(), [](const Member* member) { return member->over; });
  });
}

bool ServiceGroup::wait(Deadline until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return running_ == 0; });
}

int ServiceGroup::exit_code() const {
  std::lock_guard lock(mutex_);
  return error_.empty() ? kExitDrained : kExitFailure;
}

bool ServiceGroup::draining() const {
  std::lock_guard lock(mutex_);
  return draining_;
}

std::string ServiceGroup::error() const {
  std::lock_guard lock(mutex_);
  return error_;
}

std::vector<Heartbeat> ServiceGroup::heartbeats() const {
  std::vector<Heartbeat> beats;
  for (const auto& member : members_) beats.push_back(member->context.heartbeat());
  return beats;
}

ServiceContext& ServiceGroup::context(std::string_view service) {
  for (const auto& member : members_)
    if (member->context.service() == service) return member->context;
  throw_error(str("service ", service, ": not in this process"));
}

namespace {

// Ends the process: threads that do not return cannot be taken down otherwise.
[[noreturn]] void give_up(const ServiceGroup& group, int drain_ms) {
  for (const Heartbeat& beat : group.heartbeats()) {
    if (beat.state == ServiceState::kDone || beat.state == ServiceState::kFailed) continue;
    std::string waits;
    for (const WaitRow& row : beat.waits) waits += str("; ", to_text(row));
    log_error(beat.service, " did not drain within ", drain_ms, " ms", waits);
  }
  ::_exit(kExitFailure);
}

int run_group(ServiceGroup& group, const RunServiceOptions& options,
              const std::function<void(ServiceGroup&)>& tick, const StopSignals* signals) {
  bool draining = false;
  Deadline give_up_at = Deadline::after_ms(0);
  while (!group.wait(Deadline::after_ms(kTickMs))) {
    if (tick) tick(group);
    if (!draining && (group.draining() || (signals != nullptr && signals->asked()))) {
      draining = true;
      give_up_at = Deadline::after_ms(options.drain_ms + kStageGraceMs);
      if (signals != nullptr && signals->asked()) log_info(signals->name(), ": draining");
      group.drain();
    }
    if (draining && give_up_at.expired()) give_up(group, options.drain_ms);
  }
  if (tick) tick(group);
  return group.exit_code();
}

}  // namespace

int run_services(const RunPlace& place,
                 const std::function<std::vector<std::unique_ptr<Service>>()>& make,
                 const RunServiceOptions& options, const std::function<void(ServiceGroup&)>& tick) {
  std::unique_ptr<StopSignals> signals;
  if (options.handle_signals) signals = std::make_unique<StopSignals>();
  std::unique_ptr<ServiceGroup> group;
  try {
    group = std::make_unique<ServiceGroup>(place, make(), options);
    group->start();
  } catch (const std::exception& error) {
    log_error(error.what());
    return kExitBadConfiguration;
  }
  return run_group(*group, options, tick, signals.get());
}

int run_service(const RunPlace& place, const std::function<std::unique_ptr<Service>()>& make,
                const RunServiceOptions& options) {
  return run_services(
      place,
      [&] {
        std::vector<std::unique_ptr<Service>> services;
        services.push_back(make());
        return services;
      },
      options);
}

}  // namespace oneagent
