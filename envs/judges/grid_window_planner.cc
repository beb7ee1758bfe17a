#include "envs/judges/grid_window_planner.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "envs/grid_path/view.h"

namespace oneagent {
namespace {

using grid_path::ViewLayout;

constexpr double kVisitPenalty = 6.0, kFar = std::numeric_limits<double>::infinity();

class GridWindowPlanner final : public ScriptedPolicy {
 public:
  explicit GridWindowPlanner(const grid_path::GridPathOptions& options)
      : layout_(options),
        side_(2 * options.radius + 1),
        cost_(side_ * side_),
        first_(side_ * side_),
        open_(side_ * side_) {}

  void act(std::span<const float> observation, std::span<const uint8_t> mask,
           std::span<int32_t> actions) override {
    for (size_t i = 0; i < actions.size(); ++i) {
      row_ = observation.subspan(i * layout_.size, layout_.size);
      actions[i] = choose(mask.subspan(i * kMoves, kMoves));
    }
  }

 private:
  int cell(int dx, int dy) const { return ViewLayout::cell(layout_.radius, dx, dy); }
  bool shown(int dx, int dy) const {
    return std::max(std::abs(dx), std::abs(dy)) <= layout_.radius;
  }
  bool free(int dx, int dy) const {
    return shown(dx, dy) && row_[layout_.window + cell(dx, dy)] == 0;
  }
  double visits(int dx, int dy) const {
    if (std::max(std::abs(dx), std::abs(dy)) > layout_.visit_radius) return 0;
    return grid_path::visits_shown(
        row_[layout_.visits + ViewLayout::cell(layout_.visit_radius, dx, dy)]);
  }

  int32_t choose(std::span<const uint8_t> mask) {
    const Cell goal = grid_path::goal_offset(layout_, row_);
    plan();
    if (shown(goal.x, goal.y) && cost_[cell(goal.x, goal.y)] < kFar)
      return first_[cell(goal.x, goal.y)];
    double least = kFar;
    int32_t chosen = -1;
    for (int dy = -layout_.radius; dy <= layout_.radius; ++dy)
      for (int dx = -layout_.radius; dx <= layout_.radius; ++dx) {
        if (std::max(std::abs(dx), std::abs(dy)) != layout_.radius || cost_[cell(dx, dy)] == kFar)
          continue;
        const double score = cost_[cell(dx, dy)] + octile_distance({dx, dy}, goal);
        if (score < least) least = score, chosen = first_[cell(dx, dy)];
      }
    if (chosen >= 0) return chosen;
    return static_cast<int32_t>(std::find(mask.begin(), mask.end(), 1) -
                                mask.begin());  // closed in: the window shows every reachable cell
  }

  // Dijkstra from the centre over the free cells of the window: cost and first move of each.
  void plan() {
    std::fill(cost_.begin(), cost_.end(), kFar);
    std::fill(open_.begin(), open_.end(), 0);
    cost_[cell(0, 0)] = 0;
    open_[cell(0, 0)] = 1;
    while (true) {
      int at = -1;
      for (size_t i = 0; i < open_.size(); ++i)
        if (open_[i] && (at < 0 || cost_[i] < cost_[at])) at = static_cast<int>(i);
      if (at < 0) return;
      open_[at] = 0;
      expand(at);
    }
  }

  void expand(int at) {
    const int x = at % side_ - layout_.radius, y = at / side_ - layout_.radius;
    for (int move = 0; move < kMoves; ++move) {
      const auto [dx, dy] = kMoveOffsets[move];
      if (!free(x + dx, y + dy) || !free(x + dx, y) || !free(x, y + dy)) continue;
      const int to = cell(x + dx, y + dy);
      const double cost = cost_[at] + move_cost(move) + kVisitPenalty * visits(x + dx, y + dy);
      if (cost >= cost_[to]) continue;
      cost_[to] = cost;
      first_[to] = x == 0 && y == 0 ? move : first_[at];
      open_[to] = 1;
    }
  }

  ViewLayout layout_;
  int side_;
  std::span<const float> row_;
  std::vector<double> cost_;
  std::vector<int32_t> first_;
  std::vector<uint8_t> open_;
};

}  // namespace

EnvBaseline grid_window_planner() {
  return {"window_planner",
          "shortest way inside the visible window to the goal or the best border cell",
          [](const EnvSpec&, const Json& options) -> std::unique_ptr<ScriptedPolicy> {
            return std::make_unique<GridWindowPlanner>(
                parse_options<grid_path::GridPathOptions>(options, "[env]"));
          }};
}

}  // namespace oneagent
