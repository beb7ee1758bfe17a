#include "core/plan/memory.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace oneagent {
namespace {

size_t aligned(size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

size_t most_alive(std::span<const Lifetime> buffers) {
  std::map<int32_t, int64_t> change;
  for (const Lifetime& buffer : buffers) {
    change[buffer.first] += static_cast<int64_t>(aligned(buffer.bytes));
    change[buffer.last + 1] -= static_cast<int64_t>(aligned(buffer.bytes));
  }
  int64_t alive = 0, most = 0;
  for (const auto& [position, bytes] : change) most = std::max(most, alive += bytes);
  return static_cast<size_t>(most);
}

// The lowest offset at which `bytes` fit between blocks, which are sorted by offset.
int64_t lowest_gap(const std::vector<std::pair<int64_t, int64_t>>& blocks, int64_t bytes) {
  int64_t at = 0;
  for (const auto& [begin, end] : blocks) {
    if (at + bytes <= begin) return at;
    at = std::max(at, end);
  }
  return at;
}

}  // namespace

Packing pack(std::span<const Lifetime> buffers) {
  Packing out;
  out.offsets.resize(buffers.size(), 0);
  out.lower_bound = most_alive(buffers);
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return aligned(buffers[a].bytes) > aligned(buffers[b].bytes);
  });
  std::vector<size_t> placed;
  std::vector<std::pair<int64_t, int64_t>> blocks;
  for (const size_t i : order) {
    const auto bytes = static_cast<int64_t>(aligned(buffers[i].bytes));
    if (bytes == 0) continue;
    blocks.clear();
    for (const size_t other : placed)
      if (overlap(buffers[i], buffers[other]))
        blocks.emplace_back(
            out.offsets[other],
            out.offsets[other] + static_cast<int64_t>(aligned(buffers[other].bytes)));
    std::sort(blocks.begin(), blocks.end());
    out.offsets[i] = lowest_gap(blocks, bytes);
    out.bytes = std::max(out.bytes, static_cast<size_t>(out.offsets[i] + bytes));
    placed.push_back(i);
  }
  return out;
}

}  // namespace oneagent
