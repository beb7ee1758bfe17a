// What a service writes into the store every 500 ms under runs/<run>/services/<name>, beside a
// lease of the same name: the record stays when the service dies, the lease does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/strand/wait_board.h"

namespace oneagent {

enum class ServiceState { kStarting, kRunning, kDraining, kFailed, kDone };
std::string_view state_name(ServiceState state);  // "running"

// A version number and when it took its last values: (milliseconds before the beat, value), oldest
// first, a few seconds deep.
struct VersionTrail {
  int64_t now = 0;
  std::vector<std::pair<int64_t, int64_t>> history;
};

struct Problem {
  std::string kind;  // "disk", "store"
  std::string text;
  int64_t for_ms = 0;  // at the beat
};

struct Heartbeat {
  std::string service;
  int64_t pid = 0;
  std::string host;
  std::string address;
  ServiceState state = ServiceState::kStarting;
  int64_t started_ms = 0;  // wall clock
  int64_t beat_ms = 0;     // wall clock of this beat
  std::string code_version;
  std::map<std::string, VersionTrail> versions;
  std::map<std::string, double> metrics;
  std::vector<WaitRow> waits;
  std::vector<Problem> problems;
  std::string last_error;
};

Json to_json(const Heartbeat& beat);
// InvalidArgument names the first key that is missing or of a wrong type. Unknown keys are ignored.
Result<Heartbeat> heartbeat_from_text(std::string_view text);

std::string services_prefix(std::string_view run);  // "runs/<run>/services/"
std::string service_key(std::string_view run, std::string_view service);

}  // namespace oneagent
