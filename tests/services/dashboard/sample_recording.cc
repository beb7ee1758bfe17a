#include "tests/services/dashboard/sample_recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

using Cell = std::array<int, 2>;
using Rows = std::vector<std::string>;

Rows read_map() {
  Rows rows = split(read_text(fs::path(OA_TEST_DATA) / "movingai/random-64-64-20.map"), '\n');
  rows.erase(rows.begin(), rows.begin() + 4);
  std::erase_if(rows, [](const std::string& row) { return row.empty(); });
  return rows;
}

bool is_free(const Rows& rows, int x, int y) {
  return y >= 0 && y < static_cast<int>(rows.size()) && x >= 0 &&
         x < static_cast<int>(rows[0].size()) && rows[y][x] == '.';
}

// Fewest moves, a diagonal only past two free corners.
std::vector<Cell> find_path(const Rows& rows, Cell start, Cell goal) {
  const int width = static_cast<int>(rows[0].size());
  std::vector<int> from(rows.size() * width, -1);
  std::deque<Cell> open = {start};
  from[start[1] * width + start[0]] = start[1] * width + start[0];
  constexpr Cell kMoves[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
  while (!open.empty() && open.front() != goal) {
    const auto [x, y] = open.front();
    open.pop_front();
    for (const auto [dx, dy] : kMoves) {
      if (!is_free(rows, x + dx, y + dy) || !is_free(rows, x + dx, y) || !is_free(rows, x, y + dy))
        continue;
      int& back = from[(y + dy) * width + x + dx];
      if (back >= 0) continue;
      back = y * width + x;
      open.push_back({x + dx, y + dy});
    }
  }
  std::vector<Cell> path;
  if (open.empty()) return path;
  for (Cell at = goal; at != start;
       at = {from[at[1] * width + at[0]] % width, from[at[1] * width + at[0]] / width})
    path.push_back(at);
  path.push_back(start);
  std::reverse(path.begin(), path.end());
  return path;
}

double cost_of(const std::vector<Cell>& path) {
  double cost = 0;
  for (size_t i = 1; i < path.size(); ++i)
    cost += std::hypot(path[i][0] - path[i - 1][0], path[i][1] - path[i - 1][1]);
  return cost;
}

Cell free_cell_near(const Rows& rows, int x, int y) {
  while (!is_free(rows, x, y)) ++x;
  return {x, y};
}

}  // namespace

void write_sample_recordings(const fs::path& folder, int evaluations) {
  const Rows rows = read_map();
  const Cell goals[] = {free_cell_near(rows, 56, 51), free_cell_near(rows, 50, 8)};
  for (int k = evaluations - 2; k <= evaluations; ++k)
    for (int index = 0; index < 2; ++index) {
      const Cell start = free_cell_near(rows, 4, 6 + 40 * index),
                 by_way = free_cell_near(rows, 16 + 3 * (evaluations - k), 44 - 26 * index);
      const std::vector<Cell> optimal = find_path(rows, start, goals[index]);
      std::vector<Cell> path = find_path(rows, start, by_way);
      const std::vector<Cell> rest = find_path(rows, by_way, goals[index]);
      path.insert(path.end(), rest.begin() + 1, rest.end());
      const Json recording = {
          {"env", "grid_path"},
          {"map", {{"name", "random-64-64-20"}, {"width", 64}, {"height", 64}, {"rows", rows}}},
          {"start", start},
          {"goal", goals[index]},
          {"path", path},
          {"optimal", optimal},
          {"cost", cost_of(path)},
          {"optimal_cost", cost_of(optimal)},
          {"success", true},
          {"version", 10 * k}};
      write_atomic(folder / str(10 * k, "-", index, ".json"), recording.dump());
    }
}

}  // namespace oneagent
