// Re-walks a recorded path on its map, independent of the environment that made it.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/base/json.h"
#include "envs/grid/grid_map.h"

namespace oneagent {

struct PathVerdict {
  std::string fault;  // empty: the walk is legal and its claims are true
  double cost = 0;    // of the walk, recomputed
  double optimal_cost = 0;
  bool success = false;
  bool valid() const { return fault.empty(); }
  double spl() const {
    return success && valid() ? optimal_cost / std::max(cost, optimal_cost) : 0;
  }
};

// Sum of the moves' octile costs; moves of other lengths count as infinity.
double path_cost(std::span<const Cell> path);

// The first illegal move in words ("step 4: (3, 4) -> (4, 5) cuts a corner"), or "".
std::string path_fault(const GridMap& map, std::span<const Cell> path);

// Checks a recording (grid_path/recording.h) from its map rows on: path legal, from start, success
// and costs as claimed, optimal path legal and as short as exact search finds.
PathVerdict judge_recording(const Json& recording);

}  // namespace oneagent
