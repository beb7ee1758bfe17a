// A MovingAI grid map ("type octile"). Passable: . G S. Blocked: @ O T W, and everything outside.
// Immutable once read. Format: https://movingai.com/benchmarks/formats.html
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "envs/grid/octile.h"

namespace oneagent {

class GridMap {
 public:
  static constexpr int kMaxSide = 8192;

  // Every row has the same length, 1 .. kMaxSide; `where` names the source in errors.
  GridMap(std::string name, const std::vector<std::string>& rows, std::string_view where);

  const std::string& name() const { return name_; }
  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<std::string>& rows() const { return rows_; }  // as written

  bool inside(Cell cell) const {
    return cell.x >= 0 && cell.y >= 0 && cell.x < width_ && cell.y < height_;
  }
  bool free(Cell cell) const { return inside(cell) && component_[index(cell)] >= 0; }
  bool legal(Cell from, int move) const;  // stays on free cells and cuts no corner
  int index(Cell cell) const { return cell.y * width_ + cell.x; }
  Cell cell(int index) const { return {index % width_, index / width_}; }

  // Cells reachable from each other by legal moves share a component, 0 ..; -1 for a blocked cell.
  int component(Cell cell) const { return inside(cell) ? component_[index(cell)] : -1; }
  // The free cells of each component, ascending indices.
  const std::vector<std::vector<int>>& components() const { return components_; }

 private:
  void flood(int start);

  std::string name_;
  int width_ = 0, height_ = 0;
  std::vector<std::string> rows_;
  std::vector<int> component_;
  std::vector<std::vector<int>> components_;
};

// Reads a .map file. A missing or malformed one is an Error with file, line, reason and what to
// write instead.
GridMap read_map(const std::filesystem::path& path);
GridMap parse_map(std::string_view text, std::string name, std::string_view where);

}  // namespace oneagent
