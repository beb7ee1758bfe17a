#include "services/cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <optional>

#include "core/service/status.h"

namespace oneagent {
namespace {

// The numbers of a run that a person follows, collected over its services.
struct Numbers {
  std::map<std::string, double> learner, evaluator;
  std::optional<double> episode_return;
  int64_t version = 0, lag = 0;
  std::string stall;
};

Numbers collect(const std::vector<Heartbeat>& beats) {
  Numbers n;
  double return_sum = 0;
  int returns = 0;
  for (const Heartbeat& beat : beats) {
    if (beat.service == "learner") {
      n.learner = beat.metrics;
      if (const auto policy = beat.versions.find("policy"); policy != beat.versions.end())
        n.version = policy->second.now;
    }
    if (beat.service == "evaluator") n.evaluator = beat.metrics;
    if (!beat.service.starts_with("actor-")) continue;
    if (const auto found = beat.metrics.find("episode_return"); found != beat.metrics.end()) {
      return_sum += found->second;
      ++returns;
    }
    if (const auto found = beat.metrics.find("lag"); found != beat.metrics.end())
      n.lag = std::max(n.lag, static_cast<int64_t>(found->second));
  }
  if (returns > 0) n.episode_return = return_sum / returns;
  const RunStatus status = status_of("", beats);
  n.stall = status.waits_for;
  return n;
}

std::optional<double> value(const std::map<std::string, double>& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::string text(const char* format, double number) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, number);
  return buffer;
}

std::string grouped(double number) {
  std::string digits = text("%.0f", number), out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string clock_text(double seconds) {
  const auto total = static_cast<int64_t>(seconds);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%lld:%02lld", static_cast<long long>(total / 60),
                static_cast<long long>(total % 60));
  return buffer;
}

}  // namespace

Progress::Progress(bool json, bool quiet)
    : json_(json), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

std::string Progress::line(const std::vector<Heartbeat>& beats) const {
  const Numbers n = collect(beats);
  std::string out = str(grouped(value(n.learner, "steps").value_or(0)), " steps  ",
                        grouped(value(n.learner, "steps_per_s").value_or(0)), "/s");
  if (n.episode_return) out += "  return " + text("%.4g", *n.episode_return);
  if (const auto v = value(n.evaluator, "eval_return")) out += "  eval " + text("%.4g", *v);
  if (const auto v = value(n.evaluator, "success")) out += "  success " + text("%.1f%%", *v * 100);
  if (const auto v = value(n.evaluator, "spl")) out += "  SPL " + text("%.3f", *v);
  out += str("  v", n.version, " lag ", n.lag);
  const double progress = value(n.learner, "progress").value_or(0),
               elapsed = value(n.learner, "elapsed_s").value_or(0);
  if (progress > 0)
    out += str("  ", text("%.0f%%", progress * 100), "  ETA ",
               clock_text(elapsed / progress - elapsed));
  if (!n.stall.empty()) out += "  waits for " + n.stall;
  return out;
}

std::string Progress::json_line(const std::vector<Heartbeat>& beats) const {
  const Numbers n = collect(beats);
  Json out = {{"type", "progress"}, {"version", n.version}, {"lag", n.lag}};
  for (const char* name : {"steps", "steps_per_s", "progress", "elapsed_s"})
    if (const auto v = value(n.learner, name)) out[name] = *v;
  for (const char* name : {"eval_return", "success", "spl"})
    if (const auto v = value(n.evaluator, name)) out[name] = *v;
  if (n.episode_return) out["episode_return"] = *n.episode_return;
  if (!n.stall.empty()) out["waits_for"] = n.stall;
  return out.dump();
}

void Progress::tick(ServiceGroup& group) {
  if (quiet_) return;
  const int64_t now = steady_ns();
  const int64_t pause = json_ ? 1'000'000'000 : terminal_ ? 200'000'000 : 5'000'000'000;
  if (last_ns_ != 0 && now - last_ns_ < pause) return;
  last_ns_ = now;
  const std::vector<Heartbeat> beats = group.heartbeats();
  if (json_) {
    std::printf("%s\n", json_line(beats).c_str());
    std::fflush(stdout);
  } else if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line(beats).c_str());
    drawn_ = true;
  } else {
    std::fprintf(stderr, "%s\n", line(beats).c_str());
  }
}

void Progress::finish() {
  if (drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

}  // namespace oneagent
