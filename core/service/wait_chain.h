// Follows who waits for whom to its end. Private to status.h.
#pragma once

#include <string>
#include <vector>

#include "core/service/status.h"

namespace oneagent {

struct WaitChain {
  std::vector<std::string> names;  // waiter, holder, ..., root
  std::string root;                // in words; "" when nothing is stalled
};

// The chain that holds up the run: the learner's own trouble or wait first, then an actor's, then
// any other's but the evaluator's and the gateway's, which nobody waits for.
WaitChain find_wait_chain(const std::vector<SeenService>& services,
                          const std::vector<Finding>& troubles);

}  // namespace oneagent
