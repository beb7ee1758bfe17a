#include "core/dist/reshard.h"

#include <limits>
#include <map>

#include "core/dist/collective.h"
#include "core/dist/world.h"

namespace oneagent::distributed {
namespace {

// Placements that a state of the search may have along a dimension, and the states as numbers in
// that base.
class States {
 public:
  States(const Shape& sizes, const Mesh& mesh, const Sharding& from, const Sharding& to)
      : dims_(mesh.dims()) {
    placements_ = {Placement::broadcast(), Placement::partial()};
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      placements_.push_back(Placement::split(static_cast<int64_t>(axis)));
    for (const Sharding* sharding : {&from, &to})
      for (const Placement& placement : *sharding)
        if (std::find(placements_.begin(), placements_.end(), placement) == placements_.end())
          placements_.push_back(placement);
    count_ = 1;
    for (size_t i = 0; i < dims_; ++i) count_ *= placements_.size();
  }

  size_t count() const { return count_; }
  const std::vector<Placement>& placements() const { return placements_; }
  Sharding sharding(size_t state) const {
    Sharding out;
    for (size_t i = 0; i < dims_; ++i) {
      out.push_back(placements_[state % placements_.size()]);
      state /= placements_.size();
    }
    return out;
  }
  size_t state(const Sharding& sharding) const {
    size_t out = 0;
    for (size_t i = dims_; i-- > 0;) {
      const auto at = std::find(placements_.begin(), placements_.end(), sharding[i]);
      out = out * placements_.size() + static_cast<size_t>(at - placements_.begin());
    }
    return out;
  }

 private:
  size_t dims_;
  std::vector<Placement> placements_;
  size_t count_;
};

// Parts along `dim` are whole ranges of the axis only if no later mesh dimension splits it too.
bool splits_later(const Sharding& sharding, size_t dim, const Placement& placement) {
  if (!placement.is_split()) return false;
  for (size_t later = dim + 1; later < sharding.size(); ++later)
    if (sharding[later].is_split(placement.axis)) return true;
  return false;
}

double bytes_along(const Shape& sizes, size_t element_size, const Mesh& mesh,
                   const Sharding& sharding, size_t dim) {
  double bytes = static_cast<double>(sizes.numel()) * static_cast<double>(element_size);
  for (size_t i = 0; i < sharding.size(); ++i)
    if (i != dim && sharding[i].is_split()) bytes /= static_cast<double>(mesh.size(i));
  return bytes;
}

// Among steps of equal time the shorter path is taken.
constexpr double kStepSeconds = 1e-9;

}  // namespace

std::vector<ReshardStep> reshard_path(const Shape& sizes, size_t element_size, const Mesh& mesh,
                                      const Sharding& from, const Sharding& to,
                                      const CostModel& cost) {
  if (from == to) return {};
  const States states(sizes, mesh, from, to);
  const size_t start = states.state(from), goal = states.state(to);
  std::vector<double> seconds(states.count(), std::numeric_limits<double>::infinity());
  std::vector<std::pair<size_t, ReshardStep>> back(states.count());
  std::multimap<double, size_t> open = {{0.0, start}};
  seconds[start] = 0;
  while (!open.empty()) {
    const auto [time, state] = *open.begin();
    open.erase(open.begin());
    if (state == goal) break;
    if (time > seconds[state]) continue;
    const Sharding here = states.sharding(state);
    for (size_t dim = 0; dim < mesh.dims(); ++dim) {
      if (splits_later(here, dim, here[dim])) continue;
      const double bytes = bytes_along(sizes, element_size, mesh, here, dim);
      for (const Placement& placement : states.placements()) {
        if (placement == here[dim] || splits_later(here, dim, placement)) continue;
        const double next = time + kStepSeconds +
                            step_seconds(cost, dim, here[dim], placement, bytes, mesh.size(dim));
        Sharding there = here;
        there[dim] = placement;
        const size_t number = states.state(there);
        if (!(next < seconds[number])) continue;
        seconds[number] = next;
        back[number] = {state, {dim, here[dim], placement}};
        open.emplace(next, number);
      }
    }
  }
  OA_CHECK(seconds[goal] < std::numeric_limits<double>::infinity(), "reshard: no way from ", from,
           " to ", to);
  std::vector<ReshardStep> path;
  for (size_t state = goal; state != start; state = back[state].first)
    path.push_back(back[state].second);
  std::reverse(path.begin(), path.end());
  return path;
}

double path_seconds(const Shape& sizes, size_t element_size, const Mesh& mesh, const Sharding& from,
                    const Sharding& to, const CostModel& cost) {
  double out = 0;
  Sharding here = from;
  for (const ReshardStep& step : reshard_path(sizes, element_size, mesh, from, to, cost)) {
    out +=
        step_seconds(cost, step.dim, step.from, step.to,
                     bytes_along(sizes, element_size, mesh, here, step.dim), mesh.size(step.dim));
    here[step.dim] = step.to;
  }
  return out;
}

double path_bytes(const Shape& sizes, size_t element_size, const Mesh& mesh, const Sharding& from,
                  const std::vector<ReshardStep>& path) {
  double out = 0;
  Sharding here = from;
  for (const ReshardStep& step : path) {
    out += bytes_moved(step.from, step.to, bytes_along(sizes, element_size, mesh, here, step.dim),
                       mesh.size(step.dim));
    here[step.dim] = step.to;
  }
  return out;
}

Tensor reshard_local(const Tensor& local, const Shape& sizes, const Mesh& mesh,
                     const Sharding& from, const Sharding& to) {
  if (from == to) return local;
  World& world = World::current("reshard");
  Tensor out = local;
  Sharding here = from;
  for (const ReshardStep& step :
       reshard_path(sizes, local.element_size(), mesh, from, to, world.cost())) {
    const int group = world.group(mesh, step.dim);
    // What the axis measures before this mesh dimension splits it.
    Sharding whole = here;
    whole[step.dim] = Placement::broadcast();
    const Shape extents = local_sizes(sizes, mesh, whole, world.rank());
    out = change_placement(out, extents, group, step.from, step.to);
    here[step.dim] = step.to;
  }
  return out;
}

}  // namespace oneagent::distributed
