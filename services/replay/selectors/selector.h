// Picks one item of a table: the next to sample, or the next to remove. Items are known by their
// slot, a small number that the table reuses. One file per selector; make_selector() knows their
// names. Deterministic: same calls, same random stream, same picks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/rng.h"

namespace oneagent {

struct Pick {
  uint32_t slot = 0;
  double probability = 1.0;
};

class Selector {
 public:
  virtual ~Selector() = default;
  virtual void insert(uint32_t slot, double priority) = 0;  // the slot must not be inside
  virtual void update(uint32_t slot, double priority) = 0;  // the slot must be inside
  virtual void erase(uint32_t slot) = 0;                    // the slot must be inside
  virtual Pick pick(Rng& rng) const = 0;                    // needs at least one slot
  // Inserting these slots in this order into an empty selector gives one that picks alike.
  virtual std::vector<uint32_t> order() const = 0;
};

std::unique_ptr<Selector> make_selector(const std::string& name);  // Error names the valid ones
const std::vector<std::string>& selector_names();

}  // namespace oneagent
