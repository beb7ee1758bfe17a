#include "core/runtime/segment_graph.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/runtime/wait_graph.h"

namespace oneagent {

int Firing::consumed(SlotId slot) const {
  for (const Port& port : consumed_)
    if (port.slot == slot.index) return port.place;
  throw_error(str("segment ", *segment_, ": does not consume slot number ", slot.index));
}

int Firing::produced(SlotId slot) const {
  for (const Port& port : produced_)
    if (port.slot == slot.index) return port.place;
  throw_error(str("segment ", *segment_, ": does not produce slot number ", slot.index));
}

void SegmentGraph::add_name(const std::string& what, const std::string& name) {
  OA_REQUIRE(!name.empty(), "graph ", name_, ": a ", what, " needs a name");
  OA_REQUIRE(names_.insert(str(what, ' ', name)).second, "graph ", name_, ": two ", what,
             "s are called ", name);
}

StrandId SegmentGraph::strand(std::string name) {
  add_name("strand", name);
  strands_.push_back({std::move(name), {}, {}});
  return {static_cast<int>(strands_.size()) - 1};
}

SlotId SegmentGraph::slot(std::string name, int places, int full) {
  add_name("slot", name);
  OA_REQUIRE(places >= 1, "graph ", name_, ": slot ", name, ": needs at least one place, was ",
             places);
  OA_REQUIRE(full >= 0 && full <= places, "graph ", name_, ": slot ", name, ": has ", places,
             " places, so ", full, " of them can't be full");
  slots_.push_back({std::move(name), places, full, -1, {}});
  return {static_cast<int>(slots_.size()) - 1};
}

SegmentId SegmentGraph::segment(std::string name, StrandId strand, SegmentFunction function,
                                std::vector<SlotUse> consumes, std::vector<SlotUse> produces,
                                int per_step) {
  add_name("segment", name);
  OA_REQUIRE(strand.index >= 0 && strand.index < static_cast<int>(strands_.size()), "graph ", name_,
             ": segment ", name, ": there is no strand number ", strand.index);
  OA_REQUIRE(per_step >= 1, "graph ", name_, ": segment ", name,
             ": fires at least once a step, was ", per_step);
  const int id = static_cast<int>(segments_.size());
  const auto slot_of = [&](const SlotUse& use) -> Slot& {
    OA_REQUIRE(use.slot.index >= 0 && use.slot.index < static_cast<int>(slots_.size()), "graph ",
               name_, ": segment ", name, ": there is no slot number ", use.slot.index);
    Slot& slot = slots_[use.slot.index];
    OA_REQUIRE(use.tokens >= 1 && use.tokens <= slot.places, "graph ", name_, ": segment ", name,
               ": slot ", slot.name, " has ", slot.places, " places, so a firing can't move ",
               use.tokens);
    return slot;
  };
  for (const SlotUse& use : produces) {
    Slot& slot = slot_of(use);
    OA_REQUIRE(slot.producer < 0, "graph ", name_, ": slot ", slot.name, ": both ",
               slot.producer < 0 ? "" : segments_[slot.producer].name, " and ", name,
               " fill it; a slot has one producer");
    slot.producer = id;
  }
  for (const SlotUse& use : consumes) {
    Slot& slot = slot_of(use);
    OA_REQUIRE(std::find(slot.consumers.begin(), slot.consumers.end(), id) == slot.consumers.end(),
               "graph ", name_, ": segment ", name, ": consumes slot ", slot.name, " twice");
    slot.consumers.push_back(id);
  }
  strands_[strand.index].segments.push_back(id);
  segments_.push_back({std::move(name), strand.index, std::move(function), std::move(consumes),
                       std::move(produces), per_step});
  return {id};
}

void SegmentGraph::order(StrandId strand, const std::vector<SegmentId>& firings) {
  OA_REQUIRE(strand.index >= 0 && strand.index < static_cast<int>(strands_.size()), "graph ", name_,
             ": there is no strand number ", strand.index);
  std::vector<int>& order = strands_[strand.index].order;
  order.clear();
  for (const SegmentId& firing : firings) order.push_back(firing.index);
}

void SegmentGraph::compile() const {
  OA_REQUIRE(!segments_.empty(), "graph ", name_, ": has no segments");
  check_ends();
  check_orders();
  play_a_step();
}

void SegmentGraph::check_ends() const {
  std::vector<int64_t> made(slots_.size(), 0);  // tokens of a step
  for (const Segment& segment : segments_)
    for (const SlotUse& use : segment.produces)
      made[use.slot.index] = int64_t{use.tokens} * segment.per_step;
  for (const Slot& slot : slots_) {
    OA_REQUIRE(slot.producer >= 0, "graph ", name_, ": slot ", slot.name, ": nobody fills it");
    OA_REQUIRE(!slot.consumers.empty(), "graph ", name_, ": slot ", slot.name, ": nobody reads it");
  }
  for (const Segment& segment : segments_) {
    for (const SlotUse& use : segment.consumes) {
      const int64_t taken = int64_t{use.tokens} * segment.per_step;
      const Slot& slot = slots_[use.slot.index];
      OA_REQUIRE(taken == made[use.slot.index], "graph ", name_, ": slot ", slot.name,
                 ": in a step ", segments_[slot.producer].name, " fills ", made[use.slot.index],
                 " places and ", segment.name, " takes ", taken);
    }
  }
}

void SegmentGraph::check_orders() const {
  for (size_t index = 0; index < strands_.size(); ++index) {
    const StrandPlan& strand = strands_[index];
    if (strand.order.empty()) continue;
    std::vector<int> times(segments_.size(), 0);
    for (const int segment : strand.order) {
      OA_REQUIRE(segment >= 0 && segment < static_cast<int>(segments_.size()) &&
                     segments_[segment].strand == static_cast<int>(index),
                 "graph ", name_, ": strand ", strand.name, ": its order names segment number ",
                 segment, ", which is not its own");
      ++times[segment];
    }
    for (const int segment : strand.segments)
      OA_REQUIRE(times[segment] == segments_[segment].per_step, "graph ", name_, ": strand ",
                 strand.name, ": its order fires ", segments_[segment].name, " ", times[segment],
                 " times a step, not ", segments_[segment].per_step);
  }
}

// Plays one step with tokens instead of functions; linear in firings times slots of a segment.
void SegmentGraph::play_a_step() const {
  std::vector<int> left(segments_.size());
  std::vector<size_t> next(strands_.size(), 0);            // in the strand's order
  std::vector<int64_t> made(slots_.size());                // by slot, tokens so far
  std::vector<std::vector<int64_t>> taken(slots_.size());  // by slot and consumer
  for (size_t i = 0; i < segments_.size(); ++i) left[i] = segments_[i].per_step;
  for (size_t i = 0; i < slots_.size(); ++i) {
    made[i] = slots_[i].full;
    taken[i].assign(slots_[i].consumers.size(), 0);
  }
  const auto taken_by = [&](int slot, int segment) -> int64_t& {
    const auto& consumers = slots_[slot].consumers;
    return taken[slot][std::find(consumers.begin(), consumers.end(), segment) - consumers.begin()];
  };
  // What keeps a segment from firing: the segment waited for and why; -1: nothing.
  const auto blocked = [&](int id, std::string* reason) {
    const Segment& segment = segments_[id];
    const StrandPlan& strand = strands_[segment.strand];
    if (!strand.order.empty() && strand.order[next[segment.strand]] != id) {
      if (reason != nullptr) *reason = str("strand ", strand.name, " fires it first");
      return strand.order[next[segment.strand]];
    }
    for (const SlotUse& use : segment.consumes) {
      const Slot& slot = slots_[use.slot.index];
      if (made[use.slot.index] - taken_by(use.slot.index, id) >= use.tokens) continue;
      if (reason != nullptr) *reason = str("slot ", slot.name, " is empty");
      return slot.producer;
    }
    for (const SlotUse& use : segment.produces) {
      const Slot& slot = slots_[use.slot.index];
      for (size_t i = 0; i < slot.consumers.size(); ++i) {
        if (made[use.slot.index] - taken[use.slot.index][i] + use.tokens <= slot.places) continue;
        if (reason != nullptr) *reason = str("slot ", slot.name, " is full, places ", slot.places);
        return slot.consumers[i];
      }
    }
    return -1;
  };
  std::vector<int> open;
  for (size_t i = 0; i < segments_.size(); ++i) open.push_back(static_cast<int>(i));
  while (!open.empty()) {
    const int id = open.back();
    open.pop_back();
    const Segment& segment = segments_[id];
    const StrandPlan& strand = strands_[segment.strand];
    if (left[id] == 0 || blocked(id, nullptr) >= 0) continue;
    --left[id];
    open.push_back(id);
    if (!strand.order.empty() && ++next[segment.strand] < strand.order.size())
      open.push_back(strand.order[next[segment.strand]]);
    for (const SlotUse& use : segment.consumes) {
      taken_by(use.slot.index, id) += use.tokens;
      open.push_back(slots_[use.slot.index].producer);
    }
    for (const SlotUse& use : segment.produces) {
      made[use.slot.index] += use.tokens;
      const auto& consumers = slots_[use.slot.index].consumers;
      open.insert(open.end(), consumers.begin(), consumers.end());
    }
  }
  std::vector<Wait> waits;
  for (size_t i = 0; i < segments_.size(); ++i) {
    if (left[i] == 0) continue;
    std::string reason;
    const int holder = blocked(static_cast<int>(i), &reason);
    waits.push_back({segments_[i].name, segments_[holder].name, reason});
  }
  OA_REQUIRE(waits.empty(), "graph ", name_, ": can't finish a step: ", describe_waits(waits),
             "; give one of these slots more places, or a token from the start");
}

}  // namespace oneagent
