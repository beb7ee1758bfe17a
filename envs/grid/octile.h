// Moves on an 8-connected grid: unit cost straight, sqrt(2) diagonal, and a diagonal needs both
// orthogonal cells free. x grows to the right, y downwards, as in MovingAI files.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numbers>

namespace oneagent {

struct Cell {
  int x = 0, y = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

inline constexpr int kMoves = 8;
// East, south-east, south, south-west, west, north-west, north, north-east: odd moves are diagonal.
inline constexpr std::array<Cell, kMoves> kMoveOffsets{
    {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};

inline constexpr double move_cost(int move) { return move % 2 == 0 ? 1.0 : std::numbers::sqrt2; }

// Length of a shortest path on an empty grid.
inline double octile_distance(int dx, int dy) {
  const int a = std::abs(dx), b = std::abs(dy);
  return std::max(a, b) + (std::numbers::sqrt2 - 1) * std::min(a, b);
}
inline double octile_distance(Cell a, Cell b) { return octile_distance(b.x - a.x, b.y - a.y); }

// The move with this offset, or -1.
inline int move_of(int dx, int dy) {
  for (int move = 0; move < kMoves; ++move)
    if (kMoveOffsets[move].x == dx && kMoveOffsets[move].y == dy) return move;
  return -1;
}

}  // namespace oneagent
