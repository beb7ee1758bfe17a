#include "envs/judges/path_validator.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/text.h"
#include "envs/judges/octile_search.h"

namespace oneagent {
namespace {

constexpr double kTolerance = 1e-6;

Cell cell_of(const Json& value) { return {value.at(0).get<int>(), value.at(1).get<int>()}; }

std::vector<Cell> cells_of(const Json& value) {
  std::vector<Cell> cells;
  for (const Json& cell : value) cells.push_back(cell_of(cell));
  return cells;
}

std::string step_fault(const GridMap& map, Cell from, Cell to) {
  const int dx = to.x - from.x, dy = to.y - from.y;
  if (std::max(std::abs(dx), std::abs(dy)) != 1) return "is no move to a neighbour";
  if (!map.free(to)) return "enters a blocked cell";
  if (dx != 0 && dy != 0 && !(map.free({to.x, from.y}) && map.free({from.x, to.y})))
    return "cuts a corner";
  return "";
}

std::string claims_fault(const Json& recording, const PathVerdict& verdict) {
  if (recording.at("success").get<bool>() != verdict.success) return "success is claimed wrongly";
  if (std::abs(recording.at("cost").get<double>() - verdict.cost) > kTolerance)
    return str("the cost is ", verdict.cost, ", not as claimed");
  if (std::abs(recording.at("optimal_cost").get<double>() - verdict.optimal_cost) > kTolerance)
    return str("the optimal cost is ", verdict.optimal_cost, ", not as claimed");
  return "";
}

}  // namespace

double path_cost(std::span<const Cell> path) {
  double cost = 0;
  for (size_t i = 1; i < path.size(); ++i) {
    const int move = move_of(path[i].x - path[i - 1].x, path[i].y - path[i - 1].y);
    cost += move < 0 ? std::numeric_limits<double>::infinity() : move_cost(move);
  }
  return cost;
}

std::string path_fault(const GridMap& map, std::span<const Cell> path) {
  if (path.empty()) return "the path is empty";
  if (!map.free(path[0])) return "the path begins on a blocked cell";
  for (size_t i = 1; i < path.size(); ++i) {
    const Cell from = path[i - 1], to = path[i];
    if (const std::string fault = step_fault(map, from, to); !fault.empty())
      return str("step ", i, ": (", from.x, ", ", from.y, ") -> (", to.x, ", ", to.y, ") ", fault);
  }
  return "";
}

PathVerdict judge_recording(const Json& recording) {
  PathVerdict verdict;
  try {
    const Json& map_json = recording.at("map");
    const GridMap map(map_json.at("name").get<std::string>(),
                      map_json.at("rows").get<std::vector<std::string>>(), "recording");
    const Cell start = cell_of(recording.at("start")), goal = cell_of(recording.at("goal"));
    const std::vector<Cell> path = cells_of(recording.at("path")),
                            optimal = cells_of(recording.at("optimal"));
    verdict.cost = path_cost(path);
    verdict.optimal_cost = OctileSearch(map).cost(start, goal);
    verdict.success = !path.empty() && path.back() == goal;
    verdict.fault = path_fault(map, path);
    if (verdict.fault.empty() && path[0] != start)
      verdict.fault = "the path does not begin at the start";
    if (verdict.fault.empty() && std::abs(path_cost(optimal) - verdict.optimal_cost) > kTolerance)
      verdict.fault = "the optimal path is not optimal";
    if (verdict.fault.empty()) verdict.fault = path_fault(map, optimal);
    if (verdict.fault.empty()) verdict.fault = claims_fault(recording, verdict);
  } catch (const std::exception& error) {
    verdict.fault = str("malformed recording: ", error.what());
  }
  return verdict;
}

}  // namespace oneagent
