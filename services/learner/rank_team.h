// The ranks of one learner as threads of its process. The learner's own thread is the first rank;
// the others each have the same algorithm and do what the first one tells them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/comm/thread_communicator.h"
#include "services/learner/rank_follower.h"
#include "services/learner/rank_lead.h"

namespace oneagent {

class RankTeam final : public LearnerRanks {
 public:
  // For tests: GroupOptions::inject of the group that computes; what it throws is the death of that
  // rank's thread.
  using Inject = std::function<void(int rank, std::string_view point)>;

  // Places the first rank, `trainer` on this thread, on the mesh.
  RankTeam(const MeshOptions& options, Trainer& trainer, RankProgram program, Inject inject = {});
  ~RankTeam() override;
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;
  void stop(bool final) override { lead_->stop(final); }
  void abort(const std::string& reason) override;
  std::string lost() const override;

 private:
  void follow(int rank);

  const PhaseMesh mesh_;
  const RankProgram program_;
  comm::ThreadGroup commands_;  // which may be waited for for long
  comm::ThreadGroup group_;
  mutable std::mutex mutex_;
  std::string lost_;  // the first reason of an abort
  std::vector<std::thread> threads_;
  std::optional<RankLead> lead_;
};

}  // namespace oneagent
