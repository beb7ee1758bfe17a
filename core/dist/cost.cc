#include "core/dist/cost.h"

#include <limits>

namespace oneagent::distributed {

double bytes_moved(const Placement& from, const Placement& to, double bytes, int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  if (from == to || ranks == 1) return 0;
  if (from.is_broadcast()) return 0;
  if (from.is_owner()) return to.is_broadcast() ? bytes * (n - 1) / n : -1;
  if (to.is_owner()) return -1;
  if (from.is_split()) {
    if (to.is_broadcast()) return bytes * (n - 1) / n;
    if (to.is_split()) return bytes * (n - 1) / (n * n);
    return to.reduce == Reduce::kSum ? 0 : -1;
  }
  if (to.is_broadcast()) return 2 * bytes * (n - 1) / n;
  if (to.is_split()) return bytes * (n - 1) / n;
  return -1;
}

double step_seconds(const CostModel& cost, size_t dim, const Placement& from, const Placement& to,
                    double bytes, int64_t ranks) {
  if (from == to || ranks == 1) return 0;
  const double moved = bytes_moved(from, to, bytes, ranks);
  if (moved < 0) return std::numeric_limits<double>::infinity();
  if (from.is_broadcast() || (from.is_split() && to.is_partial()))
    return bytes / cost.bytes_per_second;  // a local copy
  return cost.link[dim].alpha + cost.link[dim].beta * moved;
}

}  // namespace oneagent::distributed
