// Baseline of grid_path: the legal move with the least (cost + straight octile distance of the next
// cell to the goal + penalty x own visits of it).
#pragma once

#include "envs/env.h"

namespace oneagent {

EnvBaseline grid_greedy();

}  // namespace oneagent
