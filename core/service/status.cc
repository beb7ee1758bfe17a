#include "core/service/status.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/service/findings.h"
#include "core/service/wait_chain.h"

namespace oneagent {
namespace {

constexpr std::array<std::string_view, 9> kFindingNames = {
    "store_gone",  "failed",    "lost", "silent",          "problem",
    "weights_cut", "lag_grows", "wait", "evaluator_behind"};

std::string shown_state(const SeenService& service) {
  if (is_over(service)) return std::string(state_name(service.beat.state));
  if (!service.lease) return "lost";
  if (service.silent_ms >= kSilentAfterMs) return "silent";
  return std::string(state_name(service.beat.state));
}

std::string number_text(double value) {
  char text[32];
  const char* format = std::abs(value) >= 1000 ? "%.0f" : "%.4g";
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string padded(std::string_view text, size_t width) {
  std::string out(text);
  out.resize(std::max(width, text.size()), ' ');
  return out;
}

std::string service_row(const SeenService& service, size_t name_width) {
  std::string numbers;
  for (const auto& [name, trail] : service.beat.versions)
    numbers += str("  ", name, " ", trail.now);
  for (const auto& [name, value] : service.beat.metrics)
    numbers += str("  ", name, " ", number_text(value));
  std::string row =
      str("  ", padded(service.beat.service, name_width), "  ", padded(shown_state(service), 9),
          "  ", padded(str("process ", service.beat.pid, " on ", service.beat.host), 28), numbers);
  if (!service.beat.last_error.empty())
    row += str("\n  ", padded("", name_width), "  last error: ", service.beat.last_error);
  return row + "\n";
}

Result<SeenService> see(Store& store, const StoreEntry& entry) {
  Result<Heartbeat> beat = heartbeat_from_text(entry.value);
  if (!beat.ok()) return beat.status();
  SeenService seen{std::move(*beat), 0, false};
  const Result<Lease> lease = store.find_lease(entry.key);
  if (!lease.ok() && !absl::IsNotFound(lease.status())) return lease.status();
  seen.lease = lease.ok();
  seen.silent_ms = lease.ok() ? lease->ttl_ms - lease->left_ms
                              : std::max<int64_t>(0, wall_ms() - seen.beat.beat_ms);
  return seen;
}

RunStatus store_gone(std::string_view run, const Status& reason) {
  RunStatus status;
  status.run = run;
  const std::string text = str("the store cannot be reached: ", reason.message());
  status.findings.push_back({Finding::Kind::kStoreGone, "store",
                             text + "; services go on and report again when it is back", 0});
  status.chain = {"status", "store"};
  status.waits_for = text;
  return status;
}

}  // namespace

std::string_view finding_name(Finding::Kind kind) {
  return kFindingNames[static_cast<size_t>(kind)];
}

RunStatus explain(std::string_view run, std::vector<SeenService> services) {
  std::sort(services.begin(), services.end(), [](const SeenService& a, const SeenService& b) {
    return a.beat.service < b.beat.service;
  });
  RunStatus status;
  status.run = run;
  status.services = std::move(services);
  status.findings = find_troubles(status.services);
  WaitChain chain = find_wait_chain(status.services, status.findings);
  status.chain = std::move(chain.names);
  status.waits_for = std::move(chain.root);
  for (Finding& wait : find_waits(status.services)) status.findings.push_back(std::move(wait));
  std::stable_sort(status.findings.begin(), status.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  return status;
}

Result<RunStatus> read_status(Store& store, std::string_view run) {
  const Result<std::vector<StoreEntry>> entries = store.list(services_prefix(run));
  if (absl::IsUnavailable(entries.status())) return store_gone(run, entries.status());
  if (!entries.ok()) return entries.status();
  if (entries->empty())
    return absl::NotFoundError(str("status: run ", run, " has no services in ", store.address()));
  std::vector<SeenService> services;
  for (const StoreEntry& entry : *entries) {
    Result<SeenService> seen = see(store, entry);
    if (absl::IsUnavailable(seen.status())) return store_gone(run, seen.status());
    if (!seen.ok())
      return absl::Status(seen.status().code(), str(entry.key, ": ", seen.status().message()));
    services.push_back(std::move(*seen));
  }
  return explain(run, std::move(services));
}

RunStatus status_of(std::string_view run, const std::vector<Heartbeat>& beats) {
  std::vector<SeenService> services;
  for (const Heartbeat& beat : beats) services.push_back({beat, 0, true});
  return explain(run, std::move(services));
}

Result<std::vector<std::string>> run_names(Store& store) {
  std::vector<std::string> names;
  std::string after;
  while (true) {
    const Result<std::vector<StoreEntry>> next = store.list("runs/", 1, after);
    if (!next.ok()) return next.status();
    if (next->empty()) return names;
    const std::string& key = next->front().key;
    const std::string run = key.substr(5, key.find('/', 5) - 5);
    names.push_back(run);
    after = str("runs/", run, "/\xff");  // past all keys of this run
  }
}

Json to_json(const RunStatus& status) {
  Json services = Json::array(), findings = Json::array();
  for (const SeenService& service : status.services) {
    Json row = to_json(service.beat);
    row["silent_ms"] = service.silent_ms;
    row["alive"] = service.lease;
    row["shown_state"] = shown_state(service);
    services.push_back(std::move(row));
  }
  for (const Finding& finding : status.findings)
    findings.push_back({{"kind", finding_name(finding.kind)},
                        {"service", finding.service},
                        {"text", finding.text},
                        {"for_ms", finding.for_ms}});
  return {{"run", status.run},
          {"services", std::move(services)},
          {"findings", std::move(findings)},
          {"chain", status.chain},
          {"waits_for", status.waits_for}};
}

std::string to_text(const RunStatus& status) {
  std::string text = str("run ", status.run, ": ", status.services.size(),
                         status.services.size() == 1 ? " service" : " services", "\n");
  size_t width = 8;
  for (const SeenService& service : status.services)
    width = std::max(width, service.beat.service.size());
  for (const SeenService& service : status.services) text += service_row(service, width);
  for (const Finding& finding : status.findings) text += finding.text + "\n";
  if (status.waits_for.empty())
    return text + "no service waits longer than " + seconds_text(kStalledAfterMs) + "\n";
  return text + "the run waits for: " + status.waits_for + "\n";
}

}  // namespace oneagent
