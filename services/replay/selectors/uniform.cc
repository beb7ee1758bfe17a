#include "services/replay/selectors/uniform.h"

#include "core/base/check.h"

namespace oneagent {

void UniformSelector::insert(uint32_t slot, double) {
  if (slot >= position_.size()) position_.resize(slot + 1, UINT32_MAX);
  OA_CHECK(position_[slot] == UINT32_MAX, "uniform: slot ", slot, " is inside already");
  position_[slot] = static_cast<uint32_t>(slots_.size());
  slots_.push_back(slot);
}

void UniformSelector::update(uint32_t, double) {}

void UniformSelector::erase(uint32_t slot) {
  OA_CHECK(slot < position_.size() && position_[slot] != UINT32_MAX, "uniform: slot ", slot,
           " is not inside");
  const uint32_t hole = position_[slot];
  const uint32_t last = slots_.back();
  slots_[hole] = last;
  position_[last] = hole;
  slots_.pop_back();
  position_[slot] = UINT32_MAX;
}

Pick UniformSelector::pick(Rng& rng) const {
  OA_CHECK(!slots_.empty(), "uniform: nothing to pick from");
  const auto count = static_cast<uint32_t>(slots_.size());
  return {slots_[rng.below(count)], 1.0 / count};
}

}  // namespace oneagent
