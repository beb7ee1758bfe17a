// Which (actor, sequence) a replay has accepted, as compact ranges. Value type.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/bytes.h"

namespace oneagent {

class Ledger final {
 public:
  struct Range {
    uint64_t first = 0, last = 0;  // inclusive
    friend bool operator==(const Range&, const Range&) = default;
  };

  // False when it was there already: a duplicate.
  bool add(uint32_t actor, uint64_t sequence);
  bool contains(uint32_t actor, uint64_t sequence) const;
  uint64_t count() const;
  const std::map<uint32_t, std::vector<Range>>& ranges() const { return ranges_; }

  void save(ByteWriter& out) const;
  static Ledger load(ByteReader& in);
  friend bool operator==(const Ledger&, const Ledger&) = default;

 private:
  std::map<uint32_t, std::vector<Range>> ranges_;  // per actor, ascending, not touching
};

}  // namespace oneagent
