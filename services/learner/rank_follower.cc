#include "services/learner/rank_follower.h"

#include <optional>

#include "core/dist/world.h"
#include "core/graph/context.h"
#include "core/strand/wait_board.h"

namespace oneagent {

bool follow_rank(comm::Communicator& commands, comm::Communicator& work, const PhaseMesh& mesh,
                 const RankProgram& program, WaitBoard* board, const std::string& name) {
  distributed::World world(work);
  manual_seed(program.seed);
  const std::unique_ptr<Algorithm> algorithm = program.make();
  Trainer trainer(
      *algorithm, program.seed,
      [] { return absl::UnimplementedError("only the first rank samples"); },
      [](const Learn::Sample&, const std::vector<double>&) {}, program.fault_folder,
      program.graphs);
  RankLink link(commands);
  std::unique_ptr<ShardPublisher> publisher;
  if (program.publisher != nullptr) publisher = program.publisher(commands.rank());
  std::vector<std::string> addresses =
      link.gather(publisher != nullptr ? publisher->address() : "");
  trainer.set_mesh({mesh, &link,
                    [&publisher](const ring::Weights& weights) { publisher->publish(weights); },
                    std::move(addresses)});
  trainer.share_state();
  while (true) {
    RankLink::Command command;
    {
      std::optional<WaitScope> wait;
      if (board != nullptr) wait.emplace(*board, name, "learner", "its next command");
      command = link.hear();
    }
    if (command.head.at("do") == "stop") return command.head.at("final");
    trainer.obey(command);
  }
}

}  // namespace oneagent
