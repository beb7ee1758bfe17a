// What moving data along one mesh dimension takes, and what computing takes. The planner and eager
// calls choose by it.
#pragma once

#include "core/tensor/sharding.h"

namespace oneagent::distributed {

// Times are alpha + beta * bytes; core/comm/probe.h measures alpha and beta.
struct CostModel {
  struct Link {
    double alpha = 5e-6;  // seconds a collective
    double beta = 2e-10;  // seconds a byte that leaves a rank
  };
  Link link[Sharding::kMaxDims];   // of each mesh dimension
  double flops_per_second = 2e10;  // of one rank
  double bytes_per_second = 8e9;   // memory traffic of one rank
};

// Bytes that leave a rank, on average over the `ranks` ranks, when a tensor of `bytes` (logical, as
// far as this mesh dimension goes) changes from one placement to another. Negative: it cannot be
// done in one step.
//   B or P(max, min) -> S, P(max, min): 0   B -> P(sum): 0    S -> P(sum): 0
//   S -> B: all-gather, (n-1)/n             P -> S: reduce-scatter, (n-1)/n
//   P -> B: all-reduce, 2(n-1)/n            S(i) -> S(j): all-to-all, (n-1)/n^2
//   O -> B: broadcast, (n-1)/n              B -> O: 0
double bytes_moved(const Placement& from, const Placement& to, double bytes, int64_t ranks);

// Seconds of that step; infinite where it cannot be done in one.
double step_seconds(const CostModel& cost, size_t dim, const Placement& from, const Placement& to,
                    double bytes, int64_t ranks);

}  // namespace oneagent::distributed
