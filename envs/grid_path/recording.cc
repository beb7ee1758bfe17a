#include "envs/grid_path/recording.h"

#include "envs/judges/path_validator.h"

namespace oneagent::grid_path {
namespace {

Json cells(std::span<const Cell> path) {
  Json out = Json::array();
  for (const Cell cell : path) out.push_back({cell.x, cell.y});
  return out;
}

}  // namespace

Json recording(const GridMap& map, std::span<const Cell> path, Cell goal,
               std::span<const Cell> optimal) {
  Json out;
  out["env"] = "grid_path";
  out["map"] = {
      {"name", map.name()}, {"width", map.width()}, {"height", map.height()}, {"rows", map.rows()}};
  out["start"] = {path.front().x, path.front().y};
  out["goal"] = {goal.x, goal.y};
  out["path"] = cells(path);
  out["optimal"] = cells(optimal);
  out["cost"] = path_cost(path);
  out["optimal_cost"] = path_cost(optimal);
  out["success"] = path.back() == goal;
  return out;
}

}  // namespace oneagent::grid_path
