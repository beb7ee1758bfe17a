// What a service writes into the store every 500 ms under runs/<run>/services/<name>, beside a lease of the same name: the record
// stays when the service dies, the lease does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/strand/wait_board.h"

namespace oneagent {

enum class ServiceState { kStarting, kRunning, kDraining, kFailed, kDone };
std::string_view state_name(ServiceState state);             // "running"
ServiceState parse_service_state(std::string_view name);     // throws Error

// A version number and when it took its last values: (milliseconds before the beat, value), oldest first, a few seconds deep.
struct VersionTrail {
  int64_t now = 0;
  std::vector<std::pair<int64_t, int64_t>> history;
};

struct Problem {
  std::string kind;      // "disk", "store", "weights"
  std::string text;
  int64_t since_ms = 0;  // how long, at the beat
};

struct Heartbeat {
  std::string service;
  int64_t pid = 0;
  std::string host;
  std::string address;
  ServiceState state = ServiceState::kStarting;
  int64_t started_ms = 0;   // wall clock
  int64_t beat_ms = 0;      // wall clock of this beat
  int64_t beats = 0;
  std::string code_version;
  std::map<std::string, VersionTrail> versions;
  std::map<std::string, double> metrics;
  std::vector<WaitRow> waits;
  std::vector<Problem> problems;
  std::string last_error;
};

Json to_json(const Heartbeat& beat);
// Unknown keys are ignored, missing or wrong ones throw Error naming `where`.
Heartbeat heartbeat_from_json(const Json& json, std::string_view where);

std::string service_key(std::string_view run, std::string_view service);   // "runs/<run>/services/<service>"
std::string services_prefix(std::string_view run);

}  // namespace oneagent
