// How the phases of an experiment would run: recorded from one real rollout, on one device or on
// the mesh of [learner.parallel].
#include <cstdio>

#include "core/base/log.h"
#include "services/cli/cli.h"
#include "services/cli/local_sample.h"
#include "services/learner/rank_team.h"

namespace oneagent {

int plan_command(const ExperimentArguments& arguments) {
  const Registry registry;
  Experiment e = load_experiment(arguments, registry, false);
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
