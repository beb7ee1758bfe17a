// What every rank of a learner but the first does: it has the same algorithm and does what the
// first one tells it (rank_link.h), until it is told to stop.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/comm/communicator.h"
#include "services/learner/trainer.h"

namespace oneagent {

class WaitBoard;

// Publishes the shards of one rank.
class ShardPublisher {
 public:
  virtual ~ShardPublisher() = default;
  virtual std::string address() const = 0;
  virtual void publish(const ring::Weights& weights) = 0;
};

// What is the same on every rank of a team.
struct RankProgram {
  std::function<std::unique_ptr<Algorithm>()> make;  // built like the first rank's
  uint64_t seed = 0;                                 // of random numbers in phases
  fs::path fault_folder;
  bool graphs = true;
  // Of a rank other than the first; null: the first one publishes whole tensors.
  std::function<std::unique_ptr<ShardPublisher>(int rank)> publisher = nullptr;
};

// Waits for commands are on the board, if there is one, as waits of `name` for the learner. True:
// the run is over; false: told to stop for now. Throws what a group or the program throws; a
// TrainingFault is one that the first rank has as well.
bool follow_rank(comm::Communicator& commands, comm::Communicator& work, const PhaseMesh& mesh,
                 const RankProgram& program, WaitBoard* board = nullptr,
                 const std::string& name = "");

}  // namespace oneagent
