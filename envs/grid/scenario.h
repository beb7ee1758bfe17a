// MovingAI scenario files (.scen): official queries with the length of a shortest path.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "envs/grid/grid_map.h"

namespace oneagent {

struct GridQuery {
  Cell start, goal;
  // As written: 6 significant digits in single-agent files, 8 decimals in MAPF files.
  double optimal = 0;
  int line = 0;  // of the file, for errors and reports
};

// All queries of a file, checked against the map. A missing or malformed file is an Error with
// file, line, reason and what to write instead.
std::vector<GridQuery> read_scenario(const std::filesystem::path& path, const GridMap& map);
std::vector<GridQuery> parse_scenario(std::string_view text, const GridMap& map,
                                      std::string_view where);

}  // namespace oneagent
