// What all lanes of grid_path share: the map with a blocked margin, legal moves per cell, official
// queries, tables of the eight views.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "envs/grid/grid_map.h"
#include "envs/grid/scenario.h"
#include "envs/grid_path/options.h"
#include "envs/grid_path/view.h"

namespace oneagent::grid_path {

class Setup {
 public:
  explicit Setup(const GridPathOptions& options);  // reads the files; every problem is one Error
                                                   // with file, line and reason

  const GridPathOptions& options() const { return options_; }
  const ViewLayout& layout() const { return layout_; }
  const GridMap& map() const { return map_; }
  const std::vector<GridQuery>& queries() const { return queries_; }
  bool evaluates() const { return options_.mode == "eval"; }

  // Cells of the padded map are numbered row by row; a window around any free cell stays inside.
  int stride() const { return stride_; }
  int padded_cells() const { return static_cast<int>(blocked_.size()); }
  int at(Cell cell) const { return (cell.y + pad_) * stride_ + cell.x + pad_; }
  const uint8_t* blocked() const { return blocked_.data(); }  // 1 = blocked
  uint8_t legal_moves(int at) const { return legal_[at]; }    // bit m: move m is legal

  // Tables of symmetry s: padded offset of each value of the window and of the visits, map move of
  // each view move, and the block of the remembered map (in map frame) behind each block of the
  // view.
  const std::vector<int32_t>& window_offsets(int symmetry) const {
    return window_offsets_[symmetry];
  }
  const std::vector<int32_t>& visit_offsets(int symmetry) const { return visit_offsets_[symmetry]; }
  int map_move(int symmetry, int view_move) const { return map_move_[symmetry][view_move]; }
  float visit_value(int count) const {
    return visit_value_[count];
  }  // count 0 .. 255 as the view shows it
  const std::vector<int32_t>& memory_blocks(int symmetry) const { return memory_blocks_[symmetry]; }

  bool official(Cell start, Cell goal) const;
  // Free cells that have somewhere to go, and the ways to draw from them.
  const std::vector<int>& startable() const { return startable_; }  // map indices

 private:
  void read_queries();
  void require_training_pair() const;
  void pad_map();
  void make_tables(int symmetry);

  GridPathOptions options_;
  ViewLayout layout_;
  GridMap map_;
  std::vector<GridQuery> queries_;
  std::vector<uint64_t> official_;  // sorted (start, goal) pairs
  std::vector<int> startable_;
  int pad_ = 0, stride_ = 0;
  std::vector<uint8_t> blocked_, legal_;
  std::array<float, 256> visit_value_{};
  std::array<std::vector<int32_t>, kSymmetries> window_offsets_, visit_offsets_, memory_blocks_;
  std::array<std::array<int, kMoves>, kSymmetries> map_move_{};
};

}  // namespace oneagent::grid_path
