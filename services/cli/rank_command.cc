#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "services/cli/cli.h"
#include "services/cli/services_of_run.h"
#include "services/learner/rank_service.h"

namespace oneagent {

int rank_command(const RankArguments& arguments) {
  if (arguments.parent > 0) {  // it ends with the learner, however that ends
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != arguments.parent) return 1;
  }
  const Registry registry;
  const ExperimentArguments& given = arguments.experiment;
  const bool of_run = fs::is_directory(given.file);
  const Experiment e = of_run ? experiment_of_run(given.file, given.overrides, registry)
                              : load_experiment(given, registry, false);
  const Status address = check_store_address(e.place.store);
  OA_REQUIRE(address.ok(), address.message());
  if (!of_run) prepare_run_folder(e);
  int index = arguments.index;
  if (index < 0) {
    Result<std::unique_ptr<Store>> store = open_store(e.place.store);
    OA_REQUIRE(store.ok(), "store: ", store.status().message());
    index = claim_rank_index(**store, e);
  }
  net::Context context;
  return run_service(e.place, [&]() -> std::unique_ptr<Service> {
    return std::make_unique<RankService>(context, registry, e, index, arguments.parent > 0);
  });
}

}  // namespace oneagent
