// The actor: steps environments with the newest weights and streams chunks to the replay.
//
// In step: weights carry `granted`; the actor sends chunk number s once s < granted, so that
// synchronous runs have no lag and an actor or learner that restarts finds its place again. A new
// checkpoint epoch in the weights makes it stamp its state into the stream before the next chunk.
// Every acknowledged (actor, sequence) goes to runs/<run>/audit/actor-<i>.log.
#pragma once

#include "core/net/context.h"
#include "core/service/service.h"
#include "core/store/store.h"
#include "services/experiment.h"

namespace oneagent {

class ActorService final : public Service {
 public:
  // `index` is 0 .. actors-1. The context and the registry outlive the service.
  ActorService(net::Context& context, const Registry& registry, const Experiment& experiment,
               int index);
  std::string name() const override { return str("actor-", index_); }
  void run(ServiceContext& context) override;

 private:
  class Loop;
  net::Context& net_;
  const Registry& registry_;
  const Experiment& experiment_;
  int index_;
};

// The first index below [actor] count whose service is not registered. Waits up to 30 s for one (a
// killed actor's registration takes 2 s to end).
int claim_actor_index(Store& store, const Experiment& experiment);

}  // namespace oneagent
