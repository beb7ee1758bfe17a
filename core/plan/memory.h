// Places buffers with known lifetimes into one arena.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace oneagent {

struct Lifetime {
  int32_t first = 0, last = 0;  // positions in the order, both included
  size_t bytes = 0;
};

struct Packing {
  std::vector<int64_t> offsets;  // multiples of kArenaAlignment
  size_t bytes = 0;
  size_t lower_bound = 0;  // the most that is alive at one position
};

inline constexpr size_t kArenaAlignment = 64;

// Tries orders of time, in both directions, and, where there are up to 2048 buffers, of size and of
// size times lifetime; the smallest arena counts. n log n beyond.
Packing pack(std::span<const Lifetime> buffers);

}  // namespace oneagent
