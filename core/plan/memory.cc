#include "core/plan/memory.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/base/rng.h"

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

// One after the other, each into the lowest gap that is free during its lifetime. Quadratic.
Packing pack_in_order(const std::vector<size_t>& order, std::span<const Lifetime> buffers) {
  Packing out;
  out.offsets.resize(buffers.size(), 0);
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

// Those of the greatest weight first.
template <class Weight>
std::vector<size_t> order_by(const Weight& weight, std::span<const Lifetime> buffers) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weight(buffers[a]) > weight(buffers[b]); });
  return order;
}

// Exchanges two of the order at a time and keeps what is no worse. The exchanges are the same in
// every run.
template <class Attempt>
void improve(std::vector<size_t> order, std::span<const Lifetime> buffers, int rounds,
             const Attempt& attempt) {
  size_t bytes = SIZE_MAX;
  for (int round = 0; round < rounds; ++round) {
    const uint64_t draw = mix64(static_cast<uint64_t>(round));
    const size_t a = (draw & 0xffffffff) % order.size(), b = (draw >> 32) % order.size();
    if (round > 0) std::swap(order[a], order[b]);
    const Packing packing = pack_in_order(order, buffers);
    if (attempt(packing)) return;
    if (packing.bytes > bytes)
      std::swap(order[a], order[b]);
    else
      bytes = packing.bytes;
  }
}

// Free blocks of an arena that grows at its end. Neighbours are joined; the smallest block that is
// large enough is taken.
class FreeBlocks {
 public:
  int64_t take(int64_t bytes) {
    const auto fit = by_size_.lower_bound({bytes, 0});
    if (fit == by_size_.end()) return grow(bytes);
    const auto [size, at] = *fit;
    remove(at, size);
    if (size > bytes) insert(at + bytes, size - bytes);
    return at;
  }
  void give(int64_t at, int64_t bytes) {
    auto next = by_offset_.lower_bound(at);
    if (next != by_offset_.end() && next->first == at + bytes) {
      bytes += next->second;
      remove(next->first, next->second);
    }
    next = by_offset_.lower_bound(at);
    if (next != by_offset_.begin()) {
      const auto [before, size] = *std::prev(next);
      if (before + size == at) {
        remove(before, size);
        at = before;
        bytes += size;
      }
    }
    insert(at, bytes);
  }
  int64_t end() const { return end_; }

 private:
  int64_t grow(int64_t bytes) {
    int64_t at = end_;
    if (!by_offset_.empty()) {
      const auto [last, size] = *std::prev(by_offset_.end());
      if (last + size == end_) {
        at = last;
        remove(last, size);
      }
    }
    end_ = at + bytes;
    return at;
  }
  void insert(int64_t at, int64_t size) {
    by_offset_.emplace(at, size);
    by_size_.emplace(size, at);
  }
  void remove(int64_t at, int64_t size) {
    by_offset_.erase(at);
    by_size_.erase({size, at});
  }

  std::map<int64_t, int64_t> by_offset_;
  std::set<std::pair<int64_t, int64_t>> by_size_;
  int64_t end_ = 0;
};

// In the order of time (or against it), each into the smallest free block; n log n.
Packing pack_by_time(std::span<const Lifetime> buffers, bool backwards) {
  Packing out;
  out.offsets.resize(buffers.size(), 0);
  const auto begin = [&](size_t i) { return backwards ? -buffers[i].last : buffers[i].first; };
  const auto end = [&](size_t i) { return backwards ? -buffers[i].first : buffers[i].last; };
  std::vector<size_t> starts, ends;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].bytes > 0) starts.push_back(i);
  ends = starts;
  // Of those that start together the longest-lived lies lowest.
  std::stable_sort(starts.begin(), starts.end(), [&](size_t a, size_t b) {
    return begin(a) != begin(b) ? begin(a) < begin(b) : end(a) > end(b);
  });
  std::stable_sort(ends.begin(), ends.end(), [&](size_t a, size_t b) { return end(a) < end(b); });
  FreeBlocks free;
  size_t ended = 0;
  for (const size_t i : starts) {
    for (; end(ends[ended]) < begin(i); ++ended)
      free.give(out.offsets[ends[ended]],
                static_cast<int64_t>(aligned(buffers[ends[ended]].bytes)));
    out.offsets[i] = free.take(static_cast<int64_t>(aligned(buffers[i].bytes)));
  }
  out.bytes = static_cast<size_t>(free.end());
  return out;
}

}  // namespace

Packing pack(std::span<const Lifetime> buffers) {
  // How many buffers are few depends on how often the quadratic way may be gone.
  constexpr size_t kFew = 2048, kVeryFew = 64;
  const size_t lower_bound = most_alive(buffers);
  Packing best = pack_by_time(buffers, false);
  // Is it as good as can be?
  const auto attempt = [&](const Packing& other) {
    if (other.bytes < best.bytes) best = other;
    return best.bytes == lower_bound;
  };
  if (!attempt(best) && !attempt(pack_by_time(buffers, true)) && buffers.size() <= kFew) {
    const int rounds = buffers.size() <= kVeryFew ? 200 : 1;
    const auto size = [](const Lifetime& buffer) {
      return static_cast<double>(aligned(buffer.bytes));
    };
    const auto area = [&](const Lifetime& buffer) {
      return size(buffer) * static_cast<double>(buffer.last - buffer.first + 1);
    };
    improve(order_by(size, buffers), buffers, rounds, attempt);
    if (best.bytes > lower_bound) improve(order_by(area, buffers), buffers, rounds, attempt);
  }
  best.lower_bound = lower_bound;
  return best;
}

}  // namespace oneagent
