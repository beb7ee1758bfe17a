// Baseline of grid_path: plans inside the visible window, each step anew. It walks to the goal when
// the window shows a way to it, else to the border cell of the window with the least (path length +
// straight octile distance to the goal), own visits making cells dearer.
#pragma once

#include "envs/env.h"

namespace oneagent {

EnvBaseline grid_window_planner();

}  // namespace oneagent
