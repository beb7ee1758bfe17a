// The first rank's place in a team, and the team as the learner sees it.
#pragma once

#include <string>

#include "core/comm/communicator.h"
#include "core/dist/world.h"
#include "services/learner/learner_options.h"
#include "services/learner/trainer.h"

namespace oneagent {

PhaseMesh mesh_of(const MeshOptions& options);

// The other ranks of a learner. Its end tells them to stop. One object, one strand: the trainer's.
class LearnerRanks {
 public:
  virtual ~LearnerRanks() = default;
  // They are told to stop; `final`: the run is over. Nothing may be told them any more.
  virtual void stop(bool final) = 0;
  // The first rank cannot go on: every wait of the others ends with the reason, and nothing is told
  // them any more.
  virtual void abort(const std::string& reason) = 0;
  // Why they cannot go on; "" while they can. A learner that waits for data asks, as the data may
  // come of weights that a lost rank publishes.
  virtual std::string lost() const = 0;
};

// While it lives the trainer of this thread is the first rank of the team and tells the others what
// it does.
class RankLead final {
 public:
  RankLead(comm::Communicator& commands, comm::Communicator& work, const PhaseMesh& mesh,
           Trainer& trainer, uint64_t seed);
  ~RankLead();  // stop(false) unless it was called
  RankLead(const RankLead&) = delete;
  RankLead& operator=(const RankLead&) = delete;
  void stop(bool final);

 private:
  Trainer& trainer_;
  distributed::World world_;
  RankLink link_;
  bool stopped_ = false;
};

}  // namespace oneagent
