#include "core/dist/measured_cost.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/comm/probe.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

constexpr int kRounds = 5;
constexpr int64_t kSize = 192;                   // of square matrices
constexpr int64_t kElements = int64_t{1} << 20;  // of what is copied

// The least seconds of some rounds, the first of which warms up.
template <class Body>
double fastest(const Body& body) {
  double least = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const int64_t begin = steady_ns();
    body();
    const double seconds = seconds_since(begin);
    if (round == 1 || (round > 1 && seconds < least)) least = seconds;
  }
  return std::max(least, 1e-9);
}

}  // namespace

CostModel measured_cost(comm::Communicator& group) {
  const NoGradGuard no_grad;
  CostModel cost;
  if (group.size() > 1) {
    const comm::ProbedCost probed =
        comm::probe(group, {.bytes = size_t{256} << 10, .small_rounds = 60, .large_rounds = 5});
    for (CostModel::Link& link : cost.link) link = {probed.alpha_s, probed.beta_s_per_byte};
    group.barrier();
  }
  const Tensor a = ones({kSize, kSize}), x = ones({kElements});
  const auto size = static_cast<double>(kSize);
  double seconds[] = {fastest([&] { matmul(a, a); }), fastest([&] { x.add(x); })};
  group.all_reduce(seconds, 2, DType::kFloat64, Reduce::kMax);
  cost.flops_per_second = 2 * size * size * size / seconds[0];
  cost.bytes_per_second = 3.0 * 4 * static_cast<double>(kElements) / seconds[1];
  return cost;
}

}  // namespace oneagent::distributed
