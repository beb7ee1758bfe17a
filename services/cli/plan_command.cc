// How the phases of an experiment would run: recorded from one real rollout, on one device or on
// the mesh of [learner.parallel].
#include <cstdio>

#include "services/acting.h"
#include "services/actor/rollout.h"
#include "services/cli/cli.h"
#include "services/learner/rank_team.h"

namespace oneagent {

int plan_command(const ExperimentArguments& arguments) {
  const Registry registry;
  const Experiment e = load_experiment(arguments, registry, false);
  OA_REQUIRE(e.learner.graph, "plan: [learner] graph is false, so that phases run op by op");
  const auto seed = static_cast<uint64_t>(e.run.seed);
  const std::unique_ptr<Algorithm> acting = make_algorithm(e, registry);
  EnvBatch envs(registry.envs, e.env.name, e.env_options, e.env.count, seed);
  Rollout rollout(envs, *acting, seed);
  const Needs needs = acting->needs();
  OA_REQUIRE(needs.item.kind == ItemShape::Kind::kRollout,
             "plan: learns from single transitions, which one rollout does not give; train for a "
             "moment and look at the log");
  std::vector<ring::SampledItem> items;
  for (int64_t i = 0; i < needs.items_per_sample; ++i) {
    const ring::Chunk chunk = rollout.collect(0);
    for (const ring::ItemSpec& item : make_items(chunk, needs))
      items.push_back({items.size() + 1, 1, 1.0, item, chunk});
  }
  const std::unique_ptr<Algorithm> algorithm = make_algorithm(e, registry);
  Trainer trainer(
      *algorithm, seed,
      [&]() -> Result<ring::SampleBatch> {
        return ring::SampleBatch{needs.table.name, items};
      },
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
