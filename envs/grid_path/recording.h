// One walked episode as JSON: {"env", "map": {"name", "width", "height", "rows"}, "start", "goal",
// "path", "optimal", "cost", "optimal_cost", "success"}; cells are [x, y]. The dashboard draws it,
// judges/path_validator.h re-walks it.
#pragma once

#include <span>

#include "core/base/json.h"
#include "envs/grid/grid_map.h"

namespace oneagent::grid_path {

Json recording(const GridMap& map, std::span<const Cell> path, Cell goal,
               std::span<const Cell> optimal);

}  // namespace oneagent::grid_path
