// One rank of a learner's team, other than the first, as a process: waits for the learner's call,
// does what it is told, and waits for the next call when ranks were lost. `oneagent rank`.
#pragma once

#include "core/net/context.h"
#include "core/service/service.h"
#include "core/store/store.h"
#include "services/experiment.h"

namespace oneagent {

class RankService final : public Service {
 public:
  // `started_by_learner`: it ends with the team instead of waiting for another call. The experiment
  // and the registry outlive the service.
  RankService(net::Context& context, const Registry& registry, const Experiment& experiment,
              int index, bool started_by_learner);
  std::string name() const override { return str("rank-", index_); }
  void run(ServiceContext& context) override;

 private:
  net::Context& net_;
  const Registry& registry_;
  const Experiment& experiment_;
  const int index_;
  const bool started_by_learner_;
};

// [learner.parallel] index, or the first one whose service is not registered. Waits up to 30 s for
// one.
int claim_rank_index(Store& store, const Experiment& experiment);

}  // namespace oneagent
