#include "services/gateway/live_watch.h"

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/service/status.h"
#include "services/gateway/jsonl_tail.h"

namespace oneagent {
namespace {

Json empty_services(const std::string& run, const std::string& note) {
  return {{"run", run},
          {"services", Json::array()},
          {"findings", Json::array()},
          {"chain", Json::array()},
          {"waits_for", ""},
          {"time_ms", wall_ms()},
          {"text", ""},
          {"note", note}};
}

struct Seen {
  Json answer;
  std::string store_error;
};

Seen read_services(Store& store, const std::string& run) {
  const Result<RunStatus> status = read_status(store, run);
  if (!status.ok()) {
    const bool absent = status.status().code() == absl::StatusCode::kNotFound;
    const std::string reason(status.status().message());
    return {
        empty_services(run, absent ? "no service of this run has registered in the store" : reason),
        absent ? "" : reason};
  }
  Seen seen{to_json(*status), ""};
  seen.answer["run"] = run;
  seen.answer["time_ms"] = wall_ms();
  seen.answer["text"] = to_text(*status);
  seen.answer["note"] = "";
  for (const Finding& finding : status->findings)
    if (finding.kind == Finding::Kind::kStoreGone)
      seen.store_error = seen.answer["note"] = finding.text;
  return seen;
}

}  // namespace

LiveWatch::LiveWatch(const RunFolder& folder, Store& store, EventHub& hub, std::string own_run,
                     int refresh_ms)
    : folder_(folder),
      store_(store),
      hub_(hub),
      own_run_(std::move(own_run)),
      refresh_ms_(refresh_ms),
      thread_([this] { loop(); }) {}

LiveWatch::~LiveWatch() { stop(); }

void LiveWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    looked_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

Json LiveWatch::services(const std::string& run) {
  std::unique_lock lock(mutex_);
  asked_ms_[run] = wall_ms();
  if (!services_.contains(run)) {
    hurry_ = true;
    wake_.notify_all();
    looked_.wait_until(lock, Deadline::after_ms(kFirstAnswerMs),
                       [&] { return services_.contains(run) || stopping_; });
  }
  const auto found = services_.find(run);
  return found != services_.end() ? found->second
                                  : empty_services(run, "the store has not answered yet");
}

Json LiveWatch::store_state() const {
  const std::lock_guard lock(mutex_);
  return {{"ok", store_error_.empty()}, {"error", store_error_}, {"seen_ms", store_seen_ms_}};
}

void LiveWatch::loop() {
  set_log_name("gateway");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    hurry_ = false;
    lock.unlock();
    try {  // the catch of this strand: a file that cannot be read is a warning, and the next look
           // tries again
      look();
    } catch (const Error& error) {
      log_warning("gateway: ", error.what());
    }
    lock.lock();
    wake_.wait_until(lock, Deadline::after_ms(refresh_ms_), [&] { return stopping_ || hurry_; });
  }
}

void LiveWatch::look() {
  look_at_names();
  for (const std::string& run : wanted_runs())
    if (!look_at_services(run)) break;  // every further call would wait for its whole timeout
  const std::set<std::string> shown = hub_.runs_shown();
  std::erase_if(cursors_, [&](const auto& entry) { return !shown.contains(entry.first); });
  for (const std::string& run : shown) look_at_metrics(run);
}

std::vector<std::string> LiveWatch::wanted_runs() {
  std::set<std::string> runs = hub_.runs_shown();
  if (!own_run_.empty()) runs.insert(own_run_);
  const std::lock_guard lock(mutex_);
  const int64_t now = wall_ms();
  std::erase_if(asked_ms_, [&](const auto& entry) { return now - entry.second > kInterestMs; });
  for (const auto& [run, asked] : asked_ms_) runs.insert(run);
  std::erase_if(services_, [&](const auto& entry) { return !runs.contains(entry.first); });
  return {runs.begin(), runs.end()};
}

bool LiveWatch::look_at_services(const std::string& run) {
  const Seen seen = read_services(store_, run);
  {
    const std::lock_guard lock(mutex_);
    store_error_ = seen.store_error;
    if (store_error_.empty()) store_seen_ms_ = wall_ms();
    services_[run] = seen.answer;
    looked_.notify_all();
  }
  hub_.publish(run, "services", seen.answer);
  return seen.store_error.empty();
}

void LiveWatch::look_at_metrics(const std::string& run) {
  std::map<std::string, int64_t>& cursors = cursors_[run];
  for (const std::string& service : folder_.metric_services(run)) {
    const fs::path path = folder_.metrics_path(run, service);
    const auto [cursor, is_new] = cursors.try_emplace(service, 0);
    if (is_new) cursor->second = std::max<int64_t>(0, file_size_or_zero(path) - kEventBytes / 4);
    const JsonlPart part = read_jsonl(path, cursor->second, kEventBytes);
    cursor->second = part.next;
    if (part.rows.empty()) continue;
    Json rows = Json::array();
    for (const std::string& row : part.rows) rows.push_back(Json::parse(row));
    hub_.publish(run, "metrics",
                 {{"run", run},
                  {"service", service},
                  {"after", part.after},
                  {"next", part.next},
                  {"rows", std::move(rows)}});
  }
}

void LiveWatch::look_at_names() {
  std::vector<std::string> names = folder_.names();
  if (names == names_) return;
  names_ = std::move(names);
  hub_.publish("", "runs", {{"runs", names_}});
}

}  // namespace oneagent
