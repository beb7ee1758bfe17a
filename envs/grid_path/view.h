// What the agent of grid_path sees, as one float32 row. All of it is egocentric and in the view's
// frame (GridPathOptions::frame).
//
//   window    [2r+1, 2r+1]     1 = blocked, 0 = free, around the agent
//   visits    [2v+1, 2v+1]     own visits of this episode, log2(1 + min(count, 63)) / 6
//   goal      [7]              offset / 64 (2), direction (2), log(1 + octile distance) / 6,
//                              offset clamped to the window / r (2)
//   legal     [8]              1 = this move is legal (equals the action mask)
//   previous  [8]              one-hot previous move, all 0 at the start (previous_action)
//   memory    [3, 2m+1, 2m+1]  per block of the map remembered from earlier windows: share of
//                              cells seen blocked, seen free, visited
//
// Never a distance field or a path computed from the map. The layout is also how the scripted
// baselines read the row.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "envs/grid/octile.h"
#include "envs/grid_path/options.h"

namespace oneagent::grid_path {

inline constexpr int kGoalValues = 7;
inline constexpr float kGoalScale = 64;
inline constexpr int kVisitLimit = 63;

constexpr int square(int radius) { return (2 * radius + 1) * (2 * radius + 1); }

// Offsets of the parts within a row.
struct ViewLayout {
  int radius, visit_radius, memory_radius;
  int window, visits, goal, legal, previous, memory, size;

  explicit ViewLayout(const GridPathOptions& options);

  // Value index of the cell (dx, dy) of a square part with this radius.
  static int cell(int radius, int dx, int dy) {
    return (dy + radius) * (2 * radius + 1) + dx + radius;
  }
};

// Own visits of a cell as a row tells them, exactly up to kVisitLimit.
inline double visits_shown(float value) { return std::round(std::exp2(6.0 * value)) - 1; }

// The goal's offset from the agent, exactly, as a row tells it.
inline Cell goal_offset(const ViewLayout& layout, std::span<const float> row) {
  return {static_cast<int>(std::lround(row[layout.goal] * kGoalScale)),
          static_cast<int>(std::lround(row[layout.goal + 1] * kGoalScale))};
}

// The eight symmetries of the square. Symmetry s maps view coordinates to map coordinates: swap the
// axes when s & 4, then negate x when s & 1, y when s & 2.
inline constexpr int kSymmetries = 8;
constexpr Cell to_map(int symmetry, Cell view) {
  Cell out = (symmetry & 4) ? Cell{view.y, view.x} : view;
  if (symmetry & 1) out.x = -out.x;
  if (symmetry & 2) out.y = -out.y;
  return out;
}
constexpr Cell to_view(int symmetry, Cell map) {
  Cell out = map;
  if (symmetry & 1) out.x = -out.x;
  if (symmetry & 2) out.y = -out.y;
  return (symmetry & 4) ? Cell{out.y, out.x} : out;
}

// The symmetry under which the goal lies ahead: 0 <= y <= x in the view.
constexpr int symmetry_of(Cell goal) {
  const int x = goal.x < 0 ? -goal.x : goal.x, y = goal.y < 0 ? -goal.y : goal.y;
  return (goal.x < 0 ? 1 : 0) | (goal.y < 0 ? 2 : 0) | (y > x ? 4 : 0);
}

}  // namespace oneagent::grid_path
