// The map an agent remembers within one episode: which cells its windows have shown as free or
// blocked, and how often it stood on each. Nothing else of the map enters. Sums over square blocks
// give the coarse picture of the view.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/bytes.h"
#include "envs/grid_path/setup.h"

namespace oneagent::grid_path {

class Memory {
 public:
  explicit Memory(const Setup& setup);

  void clear();
  void visit(int at);  // marks the window around this padded cell as seen and counts the visit
  int visits(int at) const { return visits_[at]; }
  const uint8_t* visit_counts() const { return visits_.data(); }
  // Shares of seen blocked, seen free and visited cells of each block around `at`, in map frame:
  // [3, blocks].
  void blocks(int at, std::span<float> out) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  // In the low and the high half of a byte: a column of up to 15 cells adds up in one byte.
  static constexpr uint8_t kSeenBlocked = 1, kSeenFree = 16;

  void see(int at);

  const Setup* setup_;
  std::vector<uint8_t> visits_;  // per padded cell, at most 255
  std::vector<uint8_t> seen_;    // per padded cell; empty without memory
  std::vector<uint8_t> stood_;   // 1 = visited; empty without memory
};

}  // namespace oneagent::grid_path
