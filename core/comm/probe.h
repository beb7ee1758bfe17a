// What a communicator costs, for the planner: seconds = alpha + beta * bytes, with the bytes that
// leave one rank at the standard cost (core/comm/traffic.h).
#pragma once

#include "core/comm/communicator.h"

namespace oneagent::comm {

struct ProbeOptions {
  size_t bytes = size_t{4} << 20;  // of the large all_reduce
  int small_rounds = 200, large_rounds = 8;
};

struct ProbedCost {
  double alpha_s = 0;  // per call
  double beta_s_per_byte = 0;
};

// Called by every rank of the group. The medians of small and of large all_reduces of float32, of
// the slowest rank: every rank gets the same figures. Nothing but zeros for a group of one.
ProbedCost probe(Communicator& communicator, const ProbeOptions& options = {});

}  // namespace oneagent::comm
