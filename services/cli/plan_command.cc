// How the phases of an experiment would run: recorded from one real rollout, on one device or on
// the mesh of [learner.parallel].
#include <cstdio>

#include "core/base/log.h"
#include "core/comm/thread_communicator.h"
#include "core/dist/parallel_recording.h"
#include "services/cli/cli.h"
#include "services/cli/local_sample.h"
#include "services/learner/mesh_choice.h"
#include "services/learner/phase_graph.h"
#include "services/learner/rank_team.h"

namespace oneagent {

namespace {

void print_pipelines(Algorithm& algorithm, const std::vector<PhaseWatch::Use>& uses,
                     const PlanArguments& arguments) {
  distributed::ParallelOptions options;
  options.pipeline = arguments.pipeline;
  options.schedule = arguments.schedule;
  options.stages_per_rank = arguments.stages_per_rank;
  const int micro_batches =
      arguments.micro_batches > 0 ? arguments.micro_batches : 2 * arguments.pipeline;
  comm::run_ranks(1, [&](comm::Communicator& all) {
    const distributed::World world(all);
    for (const PhaseWatch::Use& use : uses)
      for (const OptimizerGroup& group : algorithm.optimizer_groups())
        if (group.name == use.phase.group)
          std::printf("phase %s\n%s", use.phase.name.c_str(),
                      PhaseGraph(use.phase, group.parameters)
                          .pipeline(options, micro_batches, use.batch)
                          .c_str());
  });
}

}  // namespace

int plan_command(const PlanArguments& arguments) {
  const Registry registry;
  Experiment e = load_experiment(arguments.experiment, registry, false);
  OA_REQUIRE(e.learner.graph, "plan: [learner] graph is false, so that phases run op by op");
  const auto seed = static_cast<uint64_t>(e.run.seed);
  if (const std::string choice = settle_mesh(e, registry); !choice.empty())
    std::printf("%s\n", choice.c_str());
  if (const std::string crowded = too_many_ranks(e.learner_mesh); !crowded.empty())
    log_warning(crowded);
  ring::SampleBatch sample;
  try {
    sample = local_sample(e, registry);
  } catch (const Error& error) {
    throw_error(str("plan: ", error.what(), "; train for a moment and look at the log"));
  }
  const std::unique_ptr<Algorithm> algorithm = make_algorithm(e, registry);
  Trainer trainer(
      *algorithm, seed, [&]() -> Result<ring::SampleBatch> { return sample; },
      [](const Learn::Sample&, const std::vector<double>&) {}, fs::temp_directory_path());
  if (arguments.pipeline > 1) {
    OA_REQUIRE(!e.learner_mesh.several(),
               "plan: --pipeline shows a pipeline alone; leave [learner.parallel] out");
    PhaseWatch watch(trainer);
    const auto metrics = algorithm->learn(watch);
    OA_REQUIRE(metrics.ok(), "plan: ", metrics.status().message());
    print_pipelines(*algorithm, watch.uses(), arguments);
    return 0;
  }
  std::unique_ptr<RankTeam> team;
  if (e.learner_mesh.several())
    team = std::make_unique<RankTeam>(e.learner_mesh, trainer,
                                      RankProgram{[&] { return make_algorithm(e, registry); }, seed,
                                                  fs::temp_directory_path(), true});
  const auto metrics = algorithm->learn(trainer);
  OA_REQUIRE(metrics.ok(), "plan: ", metrics.status().message());
  for (const std::string& phase : trainer.graph_phases())
    std::printf("phase %s\n%s", phase.c_str(), trainer.explain(phase).c_str());
  return 0;
}

}  // namespace oneagent
