// What this machine and these ranks really need, for the planner.
#pragma once

#include "core/comm/communicator.h"
#include "core/dist/cost.h"

namespace oneagent::distributed {

// Alpha and beta of the group for every mesh dimension (core/comm/probe.h), FLOP rate and memory
// traffic of one rank while all of them compute: of the slowest, so that every rank gets the same
// figures. Called by every rank of the group; takes some tens of milliseconds. The default links
// for a group of one.
CostModel measured_cost(comm::Communicator& group);

}  // namespace oneagent::distributed
