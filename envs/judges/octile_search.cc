#include "envs/judges/octile_search.h"

#include <algorithm>
#include <limits>

namespace oneagent {

OctileSearch::OctileSearch(const GridMap& map, CornerRule corners)
    : map_(&map), corners_(corners), nodes_(static_cast<size_t>(map.width()) * map.height()) {
  size_t largest = 1;
  for (const auto& component : map.components()) largest = std::max(largest, component.size());
  heap_.reserve(corners == CornerRule::kStrict ? largest : nodes_.size());
}

double OctileSearch::cost(Cell start, Cell goal) {
  return run(start, goal) ? nodes_[map_->index(goal)].cost
                          : std::numeric_limits<double>::infinity();
}

std::vector<Cell> OctileSearch::path(Cell start, Cell goal) {
  if (!run(start, goal)) return {};
  std::vector<Cell> cells{goal};
  for (Cell at = goal; at != start;) {
    const Cell offset = kMoveOffsets[nodes_[map_->index(at)].move];
    at = {at.x - offset.x, at.y - offset.y};
    cells.push_back(at);
  }
  std::reverse(cells.begin(), cells.end());
  return cells;
}

bool OctileSearch::run(Cell start, Cell goal) {
  if (!map_->free(start) || !map_->free(goal)) return false;
  ++search_;
  heap_.clear();
  reach(map_->index(start), -1, 0, goal);
  while (!heap_.empty()) {
    const int at = pop();
    if (at == map_->index(goal)) return true;
    expand(at, goal);
  }
  return false;
}

void OctileSearch::expand(int at, Cell goal) {
  const Cell from = map_->cell(at);
  const double cost = nodes_[at].cost;
  for (int move = 0; move < kMoves; ++move)
    if (legal(from, move))
      reach(map_->index({from.x + kMoveOffsets[move].x, from.y + kMoveOffsets[move].y}),
            static_cast<int8_t>(move), cost + move_cost(move), goal);
}

bool OctileSearch::legal(Cell from, int move) const {
  if (corners_ == CornerRule::kStrict) return map_->legal(from, move);
  const Cell offset = kMoveOffsets[move];
  return map_->free({from.x + offset.x, from.y + offset.y}) &&
         (map_->free({from.x + offset.x, from.y}) || map_->free({from.x, from.y + offset.y}));
}

void OctileSearch::reach(int at, int8_t move, double cost, Cell goal) {
  Node& node = nodes_[at];
  const bool known = node.search == search_;
  if (known && (node.heap_place < 0 || node.cost <= cost))
    return;  // the octile distance is consistent: expanded nodes are final
  node.cost = cost;
  node.estimate = cost + octile_distance(map_->cell(at), goal);
  node.move = move;
  node.search = search_;
  if (!known) {
    node.heap_place = static_cast<int32_t>(heap_.size());
    heap_.push_back(at);
  }
  sift_up(node.heap_place);
}

bool OctileSearch::before(int a, int b) const {
  const Node &x = nodes_[a], &y = nodes_[b];
  return x.estimate < y.estimate || (x.estimate == y.estimate && x.cost > y.cost);
}

void OctileSearch::sift_up(int place) {
  const int32_t at = heap_[place];
  while (place > 0) {
    const int parent = (place - 1) / 2;
    if (!before(at, heap_[parent])) break;
    heap_[place] = heap_[parent];
    nodes_[heap_[place]].heap_place = place;
    place = parent;
  }
  heap_[place] = at;
  nodes_[at].heap_place = place;
}

void OctileSearch::sift_down(int place) {
  const int32_t at = heap_[place];
  const int size = static_cast<int>(heap_.size());
  for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
    if (child + 1 < size && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], at)) break;
    heap_[place] = heap_[child];
    nodes_[heap_[place]].heap_place = place;
    place = child;
  }
  heap_[place] = at;
  nodes_[at].heap_place = place;
}

int OctileSearch::pop() {
  const int top = heap_.front();
  nodes_[top].heap_place = -1;
  heap_.front() = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0);
  return top;
}

}  // namespace oneagent
