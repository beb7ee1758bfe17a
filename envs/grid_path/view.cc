#include "envs/grid_path/view.h"

namespace oneagent::grid_path {

ViewLayout::ViewLayout(const GridPathOptions& options)
    : radius(options.radius),
      visit_radius(options.visit_radius),
      memory_radius(options.memory_radius) {
  window = 0;
  visits = window + square(radius);
  goal = visits + square(visit_radius);
  legal = goal + kGoalValues;
  previous = legal + kMoves;
  memory = previous + (options.previous_action ? kMoves : 0);
  size = memory + (memory_radius > 0 ? 3 * square(memory_radius) : 0);
}

}  // namespace oneagent::grid_path
