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

// Largest first; each into the lowest gap that is free during its lifetime.
Packing pack(std::span<const Lifetime> buffers);

}  // namespace oneagent
