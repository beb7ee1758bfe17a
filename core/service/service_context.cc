#include <unistd.h>

#include <limits>

#include "core/base/version.h"
#include "core/service/host.h"
#include "core/service/service.h"

namespace oneagent {
namespace {

constexpr int64_t kTrailNs = 5'000'000'000;    // how far back versions are told
constexpr int64_t kTrailStepNs = 100'000'000;  // one point per step

int64_t ms_between(int64_t from_ns, int64_t to_ns) { return (to_ns - from_ns) / 1'000'000; }

}  // namespace

ServiceContext::ServiceContext(std::string service, RunPlace place)
    : service_(std::move(service)),
      place_(std::move(place)),
      started_ms_(wall_ms()),
      drain_deadline_ns_(std::numeric_limits<int64_t>::max()) {}

bool ServiceContext::wait_draining(Deadline until) {
  std::unique_lock lock(mutex_);
  return drain_started_.wait_until(lock, until, [&] { return draining(); });
}

Deadline ServiceContext::drain_deadline() const {
  std::lock_guard lock(mutex_);
  if (!draining()) return Deadline::after_ms(365LL * 24 * 3600 * 1000);
  return Deadline::after(std::chrono::nanoseconds(drain_deadline_ns_ - steady_ns()));
}

void ServiceContext::drain(Deadline deadline) {
  {
    std::lock_guard lock(mutex_);
    if (draining()) return;
    drain_deadline_ns_ = deadline.at_ns();
    if (state_ == ServiceState::kStarting || state_ == ServiceState::kRunning)
      state_ = ServiceState::kDraining;
    draining_.store(true, std::memory_order_release);
    drain_started_.notify_all();
  }
  std::lock_guard lock(wake_mutex_);
  woken_ = true;
  for (const auto& wake : wakes_) wake();
}

DrainWake::DrainWake(ServiceContext& context, std::function<void()> wake) : context_(context) {
  std::lock_guard lock(context.wake_mutex_);
  if (context.woken_) wake();
  entry_ = context.wakes_.insert(context.wakes_.end(), std::move(wake));
}

DrainWake::~DrainWake() {
  std::lock_guard lock(context_.wake_mutex_);
  context_.wakes_.erase(entry_);
}

void ServiceContext::ready(std::string_view address) {
  std::lock_guard lock(mutex_);
  address_ = address;
  if (state_ == ServiceState::kStarting) state_ = ServiceState::kRunning;
}

void ServiceContext::set_state(ServiceState state) {
  std::lock_guard lock(mutex_);
  state_ = state;
}

void ServiceContext::version(std::string_view name, int64_t value) {
  const int64_t now = steady_ns();
  std::lock_guard lock(mutex_);
  auto found = versions_.find(name);
  if (found == versions_.end()) found = versions_.emplace(name, Trail{}).first;
  auto& points = found->second.points;
  if (!points.empty() && points.back().second == value) return;
  if (!points.empty() && now - points.back().first < kTrailStepNs) {
    points.back().second = value;
  } else {
    points.emplace_back(now, value);
  }
  while (points.size() > 1 && now - points[1].first > kTrailNs)
    points.pop_front();  // one point older than the trail stays
}

void ServiceContext::set_problem(std::string_view kind, std::string text) {
  std::lock_guard lock(mutex_);
  const auto found = problems_.find(kind);
  if (found == problems_.end()) {
    problems_.emplace(kind, KnownProblem{std::move(text), steady_ns()});
  } else {
    found->second.text = std::move(text);
  }
}

void ServiceContext::clear_problem(std::string_view kind) {
  std::lock_guard lock(mutex_);
  if (const auto found = problems_.find(kind); found != problems_.end()) problems_.erase(found);
}

void ServiceContext::set_error(std::string text) {
  std::lock_guard lock(mutex_);
  last_error_ = std::move(text);
}

Heartbeat ServiceContext::heartbeat() const {
  Heartbeat beat;
  beat.service = service_;
  beat.pid = ::getpid();
  beat.host = host_name();
  beat.started_ms = started_ms_;
  beat.code_version = code_version();
  beat.metrics = metrics_.snapshot();
  beat.waits = waits_.load()->snapshot_longer_than(100);
  std::lock_guard lock(mutex_);
  const int64_t now = steady_ns();
  beat.beat_ms = wall_ms();
  beat.address = address_;
  beat.state = state_;
  beat.last_error = last_error_;
  for (const auto& [name, trail] : versions_) {
    VersionTrail& told = beat.versions[name];
    told.now = trail.points.back().second;
    for (const auto& [at_ns, value] : trail.points)
      told.history.emplace_back(ms_between(at_ns, now), value);
  }
  for (const auto& [kind, known] : problems_)
    beat.problems.push_back({kind, known.text, ms_between(known.since_ns, now)});
  return beat;
}

}  // namespace oneagent
