// The decentralised protocol of a plan: segments on strands, joined by slots.
//
// A segment is a function that runs again and again. A slot is a ring of places between the segment
// that fills it and those that read it; the number of places is the producer's credits. A segment
// fires when each slot that it consumes is full and each slot that it produces has a free credit.
// Having fired it tells the readers of its results that they are there (ready), and the producers
// of what it read that the places are free again (ack). Nobody else schedules, and no memory is
// taken while it runs: credits bound it. Two places between two strands are double buffering, one
// place makes them take turns.
//
//   SegmentGraph graph("loader");
//   const StrandId disk = graph.strand("disk"), compute = graph.strand("compute");
//   const SlotId rows = graph.slot("rows", 2);
//   graph.segment("read", disk, [&](const Firing& f) { read(buffer[f.produced(rows)]); }, {},
//                 {{rows}});
//   graph.segment("train", compute, [&](const Firing& f) { train(buffer[f.consumed(rows)]); },
//                 {{rows}}, {});
//   SegmentRunner runner(std::move(graph), board);  // segment_runner.h
//   Status status = runner.run(100);
//
// A step is the unit of run(): in it a segment fires `per_step` times, and each slot gets as many
// tokens as are taken from it, so that every step starts from the same state.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace oneagent {

struct StrandId {
  int index = -1;
};
struct SlotId {
  int index = -1;
};
struct SegmentId {
  int index = -1;
};

// A slot at one end of a segment.
struct SlotUse {
  SlotId slot;
  int tokens = 1;  // taken or given by one firing
};

// What a segment's function is told.
class Firing {
 public:
  int64_t index = 0;  // of this firing of this segment, from 0, through all runs since an error

  // The place in the slot's ring, in [0, places), that this firing reads or fills; the first of
  // several. Error: the segment does not use the slot so.
  int consumed(SlotId slot) const;
  int produced(SlotId slot) const;
  // The run is being given up: a function that waits for something outside looks here, and returns.
  bool aborted() const { return abort_->load(std::memory_order_relaxed); }

 private:
  friend class SegmentRunner;
  struct Port {
    int slot = -1;
    int tokens = 1, places = 1;
    int place = 0;
    void move() {
      place += tokens;
      if (place >= places) place -= places;
    }
  };
  const std::string* segment_ = nullptr;
  const std::atomic<bool>* abort_ = nullptr;
  std::span<const Port> consumed_, produced_;
};

using SegmentFunction = std::function<void(const Firing&)>;

// The declaration. Every error names the graph and the segment or slot. Not thread safe.
class SegmentGraph {
 public:
  struct Slot {
    std::string name;
    int places = 1;
    int full = 0;                // tokens in it before the first step
    int producer = -1;           // segment
    std::vector<int> consumers;  // segments
  };
  struct Segment {
    std::string name;
    int strand = -1;
    SegmentFunction function;
    std::vector<SlotUse> consumes, produces;
    int per_step = 1;
  };
  struct StrandPlan {
    std::string name;
    std::vector<int> segments;  // on this strand, in order of declaration
    std::vector<int> order;     // firings of one step in fixed order; empty: whatever can fire
  };

  explicit SegmentGraph(std::string name) : name_(std::move(name)) {}

  StrandId strand(std::string name);
  // `places` credits of the producer, of which `full` carry a token from the start (an edge back).
  SlotId slot(std::string name, int places, int full = 0);
  SegmentId segment(std::string name, StrandId strand, SegmentFunction function,
                    std::vector<SlotUse> consumes, std::vector<SlotUse> produces, int per_step = 1);
  // Fixes the order of all firings of a step on a strand, as the list of a pipeline schedule does.
  void order(StrandId strand, const std::vector<SegmentId>& firings);

  // Errors: a slot without producer or consumer; tokens of a step that do not match; an order that
  // does not fire each segment of its strand per_step times; a cycle that holds too few tokens or
  // credits, with the cycle in words. The last is exact: firings only ever enable others, so a step
  // that can be played through once can be run in any timing.
  void compile() const;

  const std::string& name() const { return name_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::vector<StrandPlan>& strands() const { return strands_; }

 private:
  void add_name(const std::string& what, const std::string& name);
  void check_ends() const;
  void check_orders() const;
  void play_a_step() const;

  std::string name_;
  std::vector<Slot> slots_;
  std::vector<Segment> segments_;
  std::vector<StrandPlan> strands_;
  std::unordered_set<std::string> names_;  // with what they name
};

}  // namespace oneagent
