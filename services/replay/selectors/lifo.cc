#include "services/replay/selectors/lifo.h"

#include "core/base/check.h"

namespace oneagent {

void LifoSelector::insert(uint32_t slot, double) { slots_.push_back(slot); }
void LifoSelector::update(uint32_t, double) {}
void LifoSelector::erase(uint32_t slot) { slots_.erase(slot); }

Pick LifoSelector::pick(Rng&) const {
  OA_CHECK(slots_.back() != SlotList::kNone, "lifo: nothing to pick from");
  return {slots_.back(), 1.0};
}

}  // namespace oneagent
