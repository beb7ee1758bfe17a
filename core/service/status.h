// `oneagent status`: who is there, and who waits for whom, in words. Read from the heartbeats in
// the store.
//
// Names on wait boards: "<service>" or "<service>/<part>" ("replay/rollout"); a plural role
// ("actors") means every service named
// "<role>-<n>". Chains are followed from waiter to holder; the end is what the run waits for.
// Versions: "policy" is the newest weights a service knows (the learner: published), "evaluated"
// what the evaluator is working on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/service/heartbeat.h"
#include "core/store/store.h"

namespace oneagent {

inline constexpr int64_t kSilentAfterMs = 1250;   // two heartbeats and a half
inline constexpr int64_t kStalledAfterMs = 1000;  // a wait worth explaining
inline constexpr int64_t kCutAfterMs =
    1500;  // newer weights have existed for this long and did not arrive

// One service as seen from outside.
struct SeenService {
  Heartbeat beat;
  int64_t silent_ms = 0;  // since its last beat, by the store's clock while its lease lives
  bool lease = false;     // its lease lives
};

struct Finding {
  enum class Kind {
    kStoreGone,
    kFailed,
    kLost,
    kSilent,
    kProblem,
    kWeightsCut,
    kLagGrows,
    kWait,
    kEvaluatorBehind
  };
  Kind kind;
  std::string service;  // whom it is about
  std::string text;     // a sentence
  int64_t for_ms = 0;
  std::string subject;  // kProblem: the problem's kind
};
std::string_view finding_name(Finding::Kind kind);  // "weights_cut"

struct RunStatus {
  std::string run;
  std::vector<SeenService> services;  // by name
  std::vector<Finding> findings;      // gravest first, in the order of Kind
  std::vector<std::string> chain;     // waiter, holder, ..., what the run waits for
  std::string waits_for;              // "learner (silent for 1.6 s)"; "" when nothing is stalled
};

// Pure: from what was seen to what it means.
RunStatus explain(std::string_view run, std::vector<SeenService> services);

// Reads the store. An unreachable store is a RunStatus with the finding kStoreGone. A run without
// services: NotFound.
Result<RunStatus> read_status(Store& store, std::string_view run);
// The same from inside the process, without a store.
RunStatus status_of(std::string_view run, const std::vector<Heartbeat>& beats);
// The runs that have services in the store, in byte order.
Result<std::vector<std::string>> run_names(Store& store);

Json to_json(const RunStatus& status);
std::string to_text(const RunStatus& status);  // a table of services, then the findings, then "the
                                               // run waits for: ..."

}  // namespace oneagent
