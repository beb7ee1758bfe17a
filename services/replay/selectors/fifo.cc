#include "services/replay/selectors/fifo.h"

#include "core/base/check.h"

namespace oneagent {

void FifoSelector::insert(uint32_t slot, double) { slots_.push_back(slot); }
void FifoSelector::update(uint32_t, double) {}
void FifoSelector::erase(uint32_t slot) { slots_.erase(slot); }

Pick FifoSelector::pick(Rng&) const {
  OA_CHECK(slots_.front() != SlotList::kNone, "fifo: nothing to pick from");
  return {slots_.front(), 1.0};
}

}  // namespace oneagent
