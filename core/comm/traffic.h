// The standard cost of a collective: bytes of payload that leave one rank of n. Headers are left
// out. A group of one costs nothing.
//
//   all_reduce      (T - C) + (n - 1) * C   with C this rank's chunk: 2 (n - 1) / n * T if n
//   divides
//                                           the count; over all ranks always 2 (n - 1) T
//   all_gather      (n - 1) * own part
//   reduce_scatter  T - own part            (n - 1) / n * T for equal parts
//   all_to_all      T - what stays here     (n - 1) / n * T for equal parts
//   broadcast       (n - 1) * T on the root, 0 elsewhere
//
// This is what the implementations move, except that an all_reduce of at most kDirectBytes takes
// one step instead of two and moves (n - 1) * T; it is counted by the formula all the same, so that
// costs do not jump at a threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace oneagent::comm {

// Payloads up to here are copied aside (thread) or travel with the header (gloo).
inline constexpr size_t kDirectBytes = 4096;

// The balanced partition of `count` elements over n ranks: the first count % n have one more.
struct Chunk {
  size_t begin = 0, count = 0;
};
inline Chunk chunk_of(size_t count, int rank, int n) {
  const size_t r = static_cast<size_t>(rank), each = count / n, more = count % n;
  return {r * each + (r < more ? r : more), each + (r < more ? 1 : 0)};
}

inline size_t total_of(std::span<const size_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), size_t{0});
}
inline size_t offset_of(std::span<const size_t> counts, int rank) {
  return total_of(counts.first(static_cast<size_t>(rank)));
}

// All in bytes; `width` is that of an element.
inline int64_t all_reduce_cost(size_t count, size_t width, int rank, int n) {
  const size_t own = chunk_of(count, rank, n).count;
  return static_cast<int64_t>((count - own + (n - 1) * own) * width);
}
inline int64_t all_gather_cost(std::span<const size_t> counts, size_t width, int rank) {
  return static_cast<int64_t>((counts.size() - 1) * counts[rank] * width);
}
inline int64_t scatter_cost(std::span<const size_t> counts, size_t width, int rank) {
  return static_cast<int64_t>((total_of(counts) - counts[rank]) * width);
}
inline int64_t broadcast_cost(size_t count, size_t width, int rank, int n, int root) {
  return rank == root ? static_cast<int64_t>((n - 1) * count * width) : 0;
}

}  // namespace oneagent::comm
