#include <csignal>
#include <cstdio>

#include "core/base/log.h"
#include "services/actor/actor_service.h"
#include "services/cli/cli.h"
#include "services/cli/judgement.h"
#include "services/cli/local_sample.h"
#include "services/cli/progress.h"
#include "services/cli/services_of_run.h"
#include "services/learner/manifest.h"

namespace oneagent {
namespace {

void print_judgement(const Experiment& e, const Json& judgement, const TrainArguments& arguments) {
  if (arguments.json) {
    Json last = judgement;
    last["type"] = "result";
    last["run"] = e.place.folder.string();
    last["config_hash"] = e.hash;
    std::printf("%s\n", last.dump().c_str());
  } else {
    std::printf("\n%s\nrun folder: %s\n", judgement_table(judgement).c_str(),
                e.place.folder.string().c_str());
  }
  std::fflush(stdout);
}

// Keeps the dashboard of a finished run open until Ctrl-C.
int hold_dashboard(const Registry& registry, const Experiment& e) {
  std::fprintf(stderr, "the dashboard stays open; Ctrl-C closes it\n");
  net::Context context;
  return run_service(e.place, [&] { return make_service("gateway", 0, context, registry, e); });
}

int run_ring(const Registry& registry, Experiment e, const TrainArguments& arguments) {
  use_inproc(e);
  check_ring(registry, e);
  require_idle(e);
  prepare_run_folder(e);
  if (const std::string choice = settle_mesh_of_run(e, registry); !choice.empty())
    log_info("learner: ", choice);
  fs::remove(finished_file(e));
  log_info("run ", e.place.folder.string(), ", configuration ", e.hash.substr(0, 12));
  Progress progress(arguments.json, arguments.quiet);
  int code = 0;
  {
    net::Context context;
    code = run_services(
        e.place, [&] { return make_ring(context, registry, e, arguments.dashboard); }, {},
        [&](ServiceGroup& group) { progress.tick(group); });
  }
  progress.finish();
  if (code != 0) return code;
  if (!fs::exists(finished_file(e))) {
    std::fprintf(stderr, "stopped; the checkpoint is written. Go on with: oneagent resume %s\n",
                 e.place.folder.string().c_str());
    return 0;
  }
  if (!arguments.skip_final_eval) print_judgement(e, judge_run(registry, e, true), arguments);
  return arguments.dashboard ? hold_dashboard(registry, e) : 0;
}

}  // namespace

int train_command(const TrainArguments& arguments) {
  const Registry registry;
  Experiment e = load_experiment(arguments.experiment, registry, true);
  OA_REQUIRE(!newest_epoch(e.place.folder), "train: ", e.place.folder.string(),
             " holds checkpoints of an earlier run; go on with `oneagent resume ",
             e.place.folder.string(), "` or choose another name with --set run.name=...");
  return run_ring(registry, std::move(e), arguments);
}

int resume_command(const std::string& run_folder, TrainArguments arguments) {
  const Registry registry;
  Experiment e = experiment_of_run(run_folder, arguments.experiment.overrides, registry);
  const std::optional<int64_t> epoch = newest_epoch(e.place.folder);
  OA_REQUIRE(epoch.has_value(), "resume: ", run_folder,
             " holds no complete checkpoint; start it again with `oneagent train`");
  read_manifest(e.place.folder, *epoch,
                e.hash);  // refuses a partial or foreign checkpoint before anything starts
  return run_ring(registry, std::move(e), arguments);
}

int eval_command(const EvalArguments& arguments) {
  const Registry registry;
  std::vector<std::string> overrides = arguments.overrides;
  if (arguments.episodes) overrides.push_back(str("evaluator.episodes=", *arguments.episodes));
  const Experiment e = experiment_of_run(arguments.run_folder, overrides, registry);
  const Json judgement = judge_run(registry, e, arguments.baselines);
  if (arguments.json)
    std::printf("%s\n", judgement.dump().c_str());
  else
    std::fputs(judgement_table(judgement).c_str(), stdout);
  return 0;
}

int serve_command(const std::string& service, const ExperimentArguments& arguments) {
  const Registry registry;
  Experiment e = load_experiment(arguments, registry, false);
  check_ring(registry, e);
  prepare_run_folder(e);
  if (service == "learner")
    if (const std::string choice = settle_mesh_of_run(e, registry); !choice.empty())
      log_info("learner: ", choice);
  int index = 0;
  if (service == "actor") {
    Result<std::unique_ptr<Store>> store = open_store(e.place.store);
    OA_REQUIRE(store.ok(), "store: ", store.status().message());
    index = claim_actor_index(**store, e);
  }
  net::Context context;
  return run_service(e.place, [&] { return make_service(service, index, context, registry, e); });
}

}  // namespace oneagent
