#include "services/replay/ledger.h"

#include <algorithm>

namespace oneagent {
namespace {

// The first range that ends at or behind `sequence`.
template <class Ranges>
auto range_at(Ranges& ranges, uint64_t sequence) {
  return std::partition_point(ranges.begin(), ranges.end(),
                              [&](const Ledger::Range& range) { return range.last < sequence; });
}

}  // namespace

bool Ledger::add(uint32_t actor, uint64_t sequence) {
  std::vector<Range>& ranges = ranges_[actor];
  auto next = range_at(ranges, sequence);
  if (next != ranges.end() && next->first <= sequence) return false;
  const bool joins_next = next != ranges.end() && next->first == sequence + 1;
  if (next != ranges.begin() && std::prev(next)->last + 1 == sequence) {
    std::prev(next)->last = joins_next ? next->last : sequence;
    if (joins_next) ranges.erase(next);
  } else if (joins_next) {
    next->first = sequence;
  } else {
    ranges.insert(next, {sequence, sequence});
  }
  return true;
}

bool Ledger::contains(uint32_t actor, uint64_t sequence) const {
  const auto found = ranges_.find(actor);
  if (found == ranges_.end()) return false;
  const auto range = range_at(found->second, sequence);
  return range != found->second.end() && range->first <= sequence;
}

uint64_t Ledger::count() const {
  uint64_t total = 0;
  for (const auto& [actor, ranges] : ranges_)
    for (const Range& range : ranges) total += range.last - range.first + 1;
  return total;
}

void Ledger::save(ByteWriter& out) const {
  out.put<uint64_t>(ranges_.size());
  for (const auto& [actor, ranges] : ranges_) {
    out.put(actor);
    out.put_vector(ranges);
  }
}

Ledger Ledger::load(ByteReader& in) {
  Ledger ledger;
  const auto actors = in.get<uint64_t>();
  for (uint64_t i = 0; i < actors; ++i) {
    const auto actor = in.get<uint32_t>();
    ledger.ranges_[actor] = in.get_vector<Range>();
  }
  return ledger;
}

}  // namespace oneagent
