// Every item with the same probability.
#pragma once

#include "services/replay/selectors/selector.h"

namespace oneagent {

class UniformSelector final : public Selector {
 public:
  void insert(uint32_t slot, double priority) override;
  void update(uint32_t slot, double priority) override;
  void erase(uint32_t slot) override;
  Pick pick(Rng& rng) const override;
  std::vector<uint32_t> order() const override { return slots_; }

 private:
  std::vector<uint32_t> slots_;     // dense, in no order
  std::vector<uint32_t> position_;  // of each slot in slots_
};

}  // namespace oneagent
