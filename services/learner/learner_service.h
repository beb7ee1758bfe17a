// The learner: samples, updates, publishes every version, stamps checkpoints, and ends the run.
//
// Checkpoint epoch e: the learner writes its own files, asks the replay to stamp itself, then
// publishes the weights that carry e; actors stamp when they see them. When every actor has
// stamped, the manifest is written and the epoch committed; training goes on meanwhile. After a
// start it returns to the newest complete epoch, and so it does, without a start, when one of its
// ranks is lost: it calls a new team under a new incarnation.
#pragma once

#include <functional>
#include <string_view>

#include "core/net/context.h"
#include "core/service/service.h"
#include "services/experiment.h"

namespace oneagent {

class LearnerService final : public Service {
 public:
  // `inject` is for tests: of ranks that are threads, RankTeam::Inject.
  LearnerService(net::Context& context, const Registry& registry, const Experiment& experiment,
                 std::function<void(int rank, std::string_view point)> inject = {});
  std::string name() const override { return "learner"; }
  void run(ServiceContext& context) override;
  int drain_stage() const override { return 0; }

 private:
  class Loop;
  net::Context& net_;
  const Registry& registry_;
  const Experiment& experiment_;
  const std::function<void(int rank, std::string_view point)> inject_;
};

}  // namespace oneagent
