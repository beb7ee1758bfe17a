#include <cstdio>

#include "services/cli/cli.h"
#include "services/cli/services_of_run.h"
#include "services/replay/audit.h"
#include "services/replay/replay.h"

namespace oneagent {

int audit_command(const std::string& run_folder, bool json) {
  const Registry registry;
  const Experiment e = experiment_of_run(run_folder, {}, registry);
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
