#include "services/replay/selectors/slot_list.h"

#include "core/base/check.h"

namespace oneagent {

void SlotList::push_back(uint32_t slot) {
  OA_CHECK(!contains(slot), "slot ", slot, " is inside already");
  if (slot >= links_.size()) links_.resize(slot + 1);
  links_[slot] = {back_, kNone, true};
  (back_ == kNone ? front_ : links_[back_].next) = slot;
  back_ = slot;
}

void SlotList::erase(uint32_t slot) {
  OA_CHECK(contains(slot), "slot ", slot, " is not inside");
  const Link link = links_[slot];
  (link.previous == kNone ? front_ : links_[link.previous].next) = link.next;
  (link.next == kNone ? back_ : links_[link.next].previous) = link.previous;
  links_[slot] = {};
}

std::vector<uint32_t> SlotList::in_order() const {
  std::vector<uint32_t> slots;
  for (uint32_t slot = front_; slot != kNone; slot = links_[slot].next) slots.push_back(slot);
  return slots;
}

}  // namespace oneagent
