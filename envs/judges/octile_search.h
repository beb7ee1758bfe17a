// Exact shortest paths on a GridMap: A* with the octile distance, no corner cutting. The judge of
// path planning; nothing that it computes reaches an observation. Memory is taken once, in the
// constructor. One owner, one strand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "envs/grid/grid_map.h"

namespace oneagent {

enum class CornerRule {
  kStrict,   // a diagonal needs both orthogonal cells free (MovingAI's lengths)
  kCutting,  // one is enough: wrong on purpose, the negative control of the tests
};

class OctileSearch {
 public:
  explicit OctileSearch(
      const GridMap& map,
      CornerRule corners = CornerRule::kStrict);  // the map must outlive the search

  // Length of a shortest path, infinity when there is none. No allocation.
  double cost(Cell start, Cell goal);
  // A shortest path, both ends included; empty when there is none.
  std::vector<Cell> path(Cell start, Cell goal);

 private:
  struct Node {
    double cost = 0;
    double estimate = 0;      // cost + octile distance to the goal
    uint32_t search = 0;      // number of the search that wrote this node
    int32_t heap_place = -1;  // -1: expanded
    int8_t move = -1;         // that reached it
  };

  bool run(Cell start, Cell goal);
  void expand(int at, Cell goal);
  bool legal(Cell from, int move) const;
  void reach(int at, int8_t move, double cost, Cell goal);
  bool before(int a, int b) const;
  void sift_up(int place);
  void sift_down(int place);
  int pop();

  const GridMap* map_;
  CornerRule corners_;
  uint32_t search_ = 0;
  std::vector<Node> nodes_;    // by cell index
  std::vector<int32_t> heap_;  // cell indices
};

}  // namespace oneagent
