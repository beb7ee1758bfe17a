// Slots in the order of their insertion: a doubly linked list inside two arrays, so that no call
// allocates once the table is full.
#pragma once

#include <cstdint>
#include <vector>

namespace oneagent {

class SlotList final {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  void push_back(uint32_t slot);
  void erase(uint32_t slot);
  bool contains(uint32_t slot) const { return slot < links_.size() && links_[slot].inside; }
  uint32_t front() const { return front_; }  // kNone when empty
  uint32_t back() const { return back_; }
  std::vector<uint32_t> in_order() const;

 private:
  struct Link {
    uint32_t previous = kNone, next = kNone;
    bool inside = false;
  };
  std::vector<Link> links_;
  uint32_t front_ = kNone, back_ = kNone;
};

}  // namespace oneagent
