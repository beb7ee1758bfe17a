// Whether every chunk that an actor saw acknowledged is in the replay's ledger. Run it on a run
// folder that nobody writes to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/data/trajectory.h"
#include "services/replay/ledger.h"

namespace oneagent {

struct AuditReport {
  static constexpr size_t kMaxListed = 100;

  uint64_t acknowledged = 0;  // different (actor, sequence) in the actors' logs
  uint64_t repeated = 0;      // log lines that name one of them again: sent anew after a rollback
  uint64_t in_ledger = 0;     // accepted by the replay, each once; more than acknowledged when an
                              // answer was lost with its actor
  uint64_t missing = 0;       // acknowledged, but not in the ledger
  std::vector<ring::ChunkKey> listed;     // the first of the missing ones
  std::map<uint32_t, uint64_t> of_actor;  // acknowledged, by actor

  bool passed() const { return missing == 0; }
};

// Reads actor-<i>.log below `audit_folder`: a sequence a line. A line that is none, other than a
// torn last one, is an Error that names it.
AuditReport audit_acknowledged(const fs::path& audit_folder, const Ledger& ledger);

Json to_json(const AuditReport& report);
std::string to_text(const AuditReport& report);  // two or three sentences

}  // namespace oneagent
