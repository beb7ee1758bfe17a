#include "envs/judges/grid_greedy.h"

#include <limits>

#include "envs/grid_path/view.h"

namespace oneagent {
namespace {

using grid_path::ViewLayout;

constexpr double kVisitPenalty = 6.0;

class GridGreedy final : public ScriptedPolicy {
 public:
  explicit GridGreedy(const grid_path::GridPathOptions& options) : layout_(options) {}

  void act(std::span<const float> observation, std::span<const uint8_t> mask,
           std::span<int32_t> actions) override {
    for (size_t i = 0; i < actions.size(); ++i)
      actions[i] = choose(observation.subspan(i * layout_.size, layout_.size),
                          mask.subspan(i * kMoves, kMoves));
  }

 private:
  int32_t choose(std::span<const float> row, std::span<const uint8_t> mask) const {
    const Cell goal = grid_path::goal_offset(layout_, row);
    double least = std::numeric_limits<double>::infinity();
    int32_t chosen = 0;
    for (int move = 0; move < kMoves; ++move) {
      if (mask[move] == 0) continue;
      const Cell next = kMoveOffsets[move];
      const double visits = grid_path::visits_shown(
          row[layout_.visits + ViewLayout::cell(layout_.visit_radius, next.x, next.y)]);
      const double score = move_cost(move) + octile_distance(next, goal) + kVisitPenalty * visits;
      if (score < least) least = score, chosen = move;
    }
    return chosen;
  }

  ViewLayout layout_;
};

}  // namespace

EnvBaseline grid_greedy() {
  return {"greedy", "step towards the goal, with a penalty on own visits",
          [](const EnvSpec&, const Json& options) -> std::unique_ptr<ScriptedPolicy> {
            return std::make_unique<GridGreedy>(
                parse_options<grid_path::GridPathOptions>(options, "[env]"));
          }};
}

}  // namespace oneagent
