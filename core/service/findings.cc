#include "core/service/findings.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "core/base/text.h"

namespace oneagent {
namespace {

constexpr int64_t kGrowthWindowMs = 2000;
constexpr int64_t kGrowthStepMs = 500;

bool is_present(const SeenService& service) {
  return service.lease && service.silent_ms < kSilentAfterMs && !is_over(service);
}

const VersionTrail* trail_of(const SeenService& service, const char* name) {
  const auto found = service.beat.versions.find(name);
  return found == service.beat.versions.end() ? nullptr : &found->second;
}

// How long before the beat the trail first passed `value`; nullopt when it has not.
std::optional<int64_t> passed_ms_ago(const VersionTrail& trail, int64_t value) {
  for (const auto& [age_ms, at] : trail.history)
    if (at > value) return age_ms;
  return trail.now > value ? std::optional<int64_t>(0) : std::nullopt;
}

// The value that long before the beat; nullopt when the trail does not reach back so far.
std::optional<int64_t> value_at(const VersionTrail& trail, int64_t age_ms) {
  std::optional<int64_t> value;
  for (const auto& [at_ms, at] : trail.history)
    if (at_ms >= age_ms) value = at;
  return value;
}

int64_t unchanged_ms(const VersionTrail& trail) {
  return trail.history.empty() ? 0 : trail.history.back().first;
}

void find_presence(const SeenService& service, std::vector<Finding>& findings) {
  const std::string& name = service.beat.service;
  if (service.beat.state == ServiceState::kFailed) {
    findings.push_back({Finding::Kind::kFailed, name,
                        str(name, " failed: ", service.beat.last_error), service.silent_ms});
  } else if (service.beat.state == ServiceState::kDone) {
    return;
  } else if (!service.lease) {
    findings.push_back(
        {Finding::Kind::kLost, name,
         str(name, " has been silent for ", seconds_text(service.silent_ms), " (lost)"),
         service.silent_ms});
  } else if (service.silent_ms >= kSilentAfterMs) {
    findings.push_back({Finding::Kind::kSilent, name,
                        str(name, " has been silent for ", seconds_text(service.silent_ms)),
                        service.silent_ms});
  }
}

void find_problems(const SeenService& service, std::vector<Finding>& findings) {
  if (is_over(service)) return;
  for (const Problem& problem : service.beat.problems) {
    const int64_t for_ms = problem.for_ms + service.silent_ms;
    findings.push_back({Finding::Kind::kProblem, service.beat.service,
                        str(service.beat.service, " has a problem with its ", problem.kind, " for ",
                            seconds_text(for_ms), ": ", problem.text),
                        for_ms, problem.kind});
  }
}

// Lag now and at steps before: it never fell, and grew at every second step.
bool grows_steadily(const VersionTrail& source, int64_t source_silent_ms, const VersionTrail& sink,
                    int64_t sink_silent_ms) {
  std::optional<int64_t> later;
  int64_t rises = 0;
  for (int64_t ago = 0; ago <= kGrowthWindowMs; ago += kGrowthStepMs) {
    const auto from = value_at(source, std::max<int64_t>(0, ago - source_silent_ms));
    const auto to = value_at(sink, std::max<int64_t>(0, ago - sink_silent_ms));
    if (!from || !to) return false;
    const int64_t lag = *from - *to;
    if (later && lag > *later) return false;
    if (later && lag < *later) ++rises;
    later = lag;
  }
  return rises >= kGrowthWindowMs / kGrowthStepMs / 2;
}

void find_lag(const SeenService& learner, const SeenService& service,
              std::vector<Finding>& findings) {
  const VersionTrail* source = trail_of(learner, "policy");
  const VersionTrail* sink = trail_of(service, "policy");
  if (source == nullptr || sink == nullptr) return;
  const std::string &name = service.beat.service, &from = learner.beat.service;
  const std::optional<int64_t> passed = passed_ms_ago(*source, sink->now);
  if (!passed) return;
  // Both beats are some time old; the service may have caught up since its own.
  const int64_t behind_ms = *passed + learner.silent_ms - service.silent_ms;
  const std::string lag =
      str(source->now - sink->now, source->now - sink->now == 1 ? " version" : " versions");
  if (behind_ms >= kCutAfterMs && unchanged_ms(*sink) >= kCutAfterMs) {
    findings.push_back(
        {Finding::Kind::kWeightsCut, name,
         str(name, " is ", lag, " behind ", from, " and has had no new weights for ",
             seconds_text(behind_ms), ": the weights channel from ", from, " to ", name, " is cut"),
         behind_ms});
  } else if (grows_steadily(*source, learner.silent_ms, *sink, service.silent_ms)) {
    findings.push_back(
        {Finding::Kind::kLagGrows, name,
         str(name, " is ", lag, " behind ", from,
             " and the lag grows: it takes weights more slowly than ", from, " makes them"),
         kGrowthWindowMs});
  }
}

void find_slow_evaluator(const SeenService& service, std::vector<Finding>& findings) {
  const VersionTrail* newest = trail_of(service, "policy");
  const VersionTrail* evaluated = trail_of(service, "evaluated");
  if (newest == nullptr || evaluated == nullptr) return;
  const std::optional<int64_t> passed = passed_ms_ago(*newest, evaluated->now);
  if (!passed || *passed < kCutAfterMs || unchanged_ms(*evaluated) < kCutAfterMs) return;
  findings.push_back(
      {Finding::Kind::kEvaluatorBehind, service.beat.service,
       str(service.beat.service, " still evaluates version ", evaluated->now, " while ",
           newest->now, " is out, for ", seconds_text(*passed), "; training does not wait for it"),
       *passed});
}

}  // namespace

std::string seconds_text(int64_t ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ms) / 1000.0);
  return text;
}

std::string role_of(std::string_view service) {
  const size_t dash = service.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == service.size()) return std::string(service);
  const bool numbered = service.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
  return std::string(numbered ? service.substr(0, dash) : service);
}

bool is_over(const SeenService& service) {
  return service.beat.state == ServiceState::kDone || service.beat.state == ServiceState::kFailed;
}

int64_t waited_ms(const SeenService& service, const WaitRow& row) {
  return row.waited_ms + service.silent_ms;
}

std::vector<Finding> find_troubles(const std::vector<SeenService>& services) {
  std::vector<Finding> findings;
  for (const SeenService& service : services) {
    find_presence(service, findings);
    find_problems(service, findings);
    if (!is_present(service)) continue;
    if (role_of(service.beat.service) == "evaluator") find_slow_evaluator(service, findings);
    for (const SeenService& learner : services)
      if (role_of(learner.beat.service) == "learner" && &learner != &service)
        find_lag(learner, service, findings);
  }
  return findings;
}

std::vector<Finding> find_waits(const std::vector<SeenService>& services) {
  std::vector<Finding> findings;
  for (const SeenService& service : services) {
    if (is_over(service)) continue;
    for (const WaitRow& row : service.beat.waits) {
      const int64_t ms = waited_ms(service, row);
      if (ms < kStalledAfterMs) continue;
      findings.push_back(
          {Finding::Kind::kWait, service.beat.service,
           str(row.waiter, " waits ", seconds_text(ms), " for ", row.holder, ": ", row.reason),
           ms});
    }
  }
  return findings;
}

}  // namespace oneagent
