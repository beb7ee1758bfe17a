// The other ranks of a learner, of the kind that its experiment says.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "core/net/context.h"
#include "core/service/service.h"
#include "services/experiment.h"
#include "services/learner/rank_lead.h"

namespace oneagent {

// Waits until they are there; the trainer, on this thread, is the first rank from then on. `inject`
// as in RankTeam. Throws what ProcessTeam throws.
std::unique_ptr<LearnerRanks> make_ranks(
    net::Context& net, const Experiment& experiment, const Registry& registry, Trainer& trainer,
    ServiceContext& context, const std::function<void(int rank, std::string_view point)>& inject);

}  // namespace oneagent
