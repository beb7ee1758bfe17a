#include <cstdio>

#include "services/cli/cli.h"
#include "services/cli/services_of_run.h"
#include "services/replay/audit.h"
#include "services/replay/replay.h"

namespace oneagent {
namespace {

// Without one a replay begins empty, and the next drops the segments, of which a resume could still
// return to the last checkpoint: not for an audit.
bool has_state(const fs::path& segments) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(segments, ignored))
    if (entry.path().filename().string().starts_with("state-")) return true;
  return false;
}

}  // namespace

int audit_command(const std::string& run_folder, bool json) {
  const Registry registry;
  const Experiment e = experiment_of_run(run_folder, {}, registry);
  OA_REQUIRE(has_state(ReplayFolders::of_run(e.place.folder).segments),
             "audit: ", ReplayFolders::of_run(e.place.folder).segments.string(),
             " holds no state-N.bin, so there is nothing to compare with");
  const Replay replay(e.replay, ReplayFolders::of_run(e.place.folder), e.place.run,
                      {make_algorithm(e, registry)->needs().table});
  const AuditReport report = audit_acknowledged(e.place.folder / "audit", replay.ledger());
  if (json)
    std::printf("%s\n", to_json(report).dump().c_str());
  else
    std::fputs(to_text(report).c_str(), stdout);
  return report.passed() ? 0 : 1;
}

}  // namespace oneagent
