// The publisher of one rank's shards over the wire, beside the learner's own.
#pragma once

#include <memory>

#include "core/net/context.h"
#include "services/experiment.h"
#include "services/learner/rank_follower.h"

namespace oneagent {

// On a port, path or name of its own: of a rank that is a thread beside the learner's address; of
// one that is a process on the host by which it is reached. The context must outlive it.
std::unique_ptr<ShardPublisher> make_shard_publisher(net::Context& context,
                                                     const Experiment& experiment, int rank);

}  // namespace oneagent
