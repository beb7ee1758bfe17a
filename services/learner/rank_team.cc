#include "services/learner/rank_team.h"

#include "core/base/log.h"
#include "core/graph/context.h"

namespace oneagent {
namespace {

// The first rank may wait for data for long. The others notice its end without a deadline.
constexpr int64_t kCommandDeadlineMs = 365LL * 24 * 3600 * 1000;

Mesh mesh_of(const MeshOptions& options) {
  return Mesh({options.data, options.tensor}, {"data", "tensor"});
}

}  // namespace

RankTeam::RankTeam(const MeshOptions& options, Trainer& trainer,
                   const std::function<std::unique_ptr<Algorithm>()>& make, uint64_t seed,
                   const fs::path& fault_folder, bool graphs)
    : mesh_(mesh_of(options)),
      trainer_(trainer),
      commands_(options.ranks(), {.deadline_ms = kCommandDeadlineMs, .name = "learner/"}),
      group_(options.ranks(), {.name = "learner/"}),
      world_(group_.communicator(0)),
      link_(commands_.communicator(0)) {
  manual_seed(seed);
  trainer_.set_mesh({mesh_, &link_});
  for (int rank = 1; rank < options.ranks(); ++rank)
    threads_.emplace_back([=, this] { follow(rank, make, seed, fault_folder, graphs); });
  trainer_.share_state();
}

RankTeam::~RankTeam() {
  try {
    link_.tell({{"do", "stop"}});
  } catch (const std::exception&) {  // the group is over already; the threads have ended
  }
  commands_.leave(0);
  group_.leave(0);
  for (std::thread& thread : threads_) thread.join();
  trainer_.set_mesh({});
}

void RankTeam::follow(int rank, const std::function<std::unique_ptr<Algorithm>()>& make,
                      uint64_t seed, const fs::path& fault_folder, bool graphs) {
  set_log_name(str("learner/", rank));
  try {
    distributed::World world(group_.communicator(rank));
    manual_seed(seed);
    const std::unique_ptr<Algorithm> algorithm = make();
    Trainer trainer(
        *algorithm, seed, [] { return absl::UnimplementedError("only the first rank samples"); },
        [](const Learn::Sample&, const std::vector<double>&) {}, fault_folder, graphs);
    RankLink link(commands_.communicator(rank));
    trainer.set_mesh({mesh_, &link});
    trainer.share_state();
    while (true) {
      const RankLink::Command command = link.hear();
      if (command.head.at("do") == "stop") break;
      trainer.obey(command);
    }
  } catch (const std::exception& error) {
    commands_.abort(error.what());
    group_.abort(error.what());
  }
  commands_.leave(rank);
  group_.leave(rank);
}

}  // namespace oneagent
