#include "services/learner/make_ranks.h"

#include "services/learner/process_team.h"
#include "services/learner/rank_team.h"
#include "services/learner/shard_publisher.h"

namespace oneagent {

std::unique_ptr<LearnerRanks> make_ranks(
    net::Context& net, const Experiment& e, const Registry& registry, Trainer& trainer,
    ServiceContext& context, const std::function<void(int rank, std::string_view point)>& inject) {
  const auto seed = static_cast<uint64_t>(e.run.seed);
  if (e.learner_mesh.kind == "threads")
    return std::make_unique<RankTeam>(
        e.learner_mesh, trainer,
        RankProgram{[&] { return make_algorithm(e, registry); }, seed, e.place.folder / "fault",
                    e.learner.graph, [&](int rank) { return make_shard_publisher(net, e, rank); }},
        inject);
  ProcessTeamOptions options;
  options.mesh = e.learner_mesh;
  options.run = e.place.run;
  options.store = e.place.store;
  options.config_hash = e.hash;
  options.run_folder = e.place.folder;
  options.seed = seed;
  options.board = &context.waits();
  options.cancelled = [&context] { return context.draining(); };
  options.problem = [&context](const std::string& text) {
    if (text.empty())
      context.clear_problem("ranks");
    else
      context.problem("ranks", text);
  };
  return std::make_unique<ProcessTeam>(std::move(options), trainer);
}

}  // namespace oneagent
