// Newest first.
#pragma once

#include "services/replay/selectors/selector.h"
#include "services/replay/selectors/slot_list.h"

namespace oneagent {

class LifoSelector final : public Selector {
 public:
  void insert(uint32_t slot, double priority) override;
  void update(uint32_t slot, double priority) override;
  void erase(uint32_t slot) override;
  Pick pick(Rng& rng) const override;
  std::vector<uint32_t> order() const override { return slots_.in_order(); }

 private:
  SlotList slots_;
};

}  // namespace oneagent
