// Where to cut a chain of calls into stages, and what data then passes between them.
#pragma once

#include <utility>
#include <vector>

#include "core/dist/cost.h"
#include "core/graph/program.h"

namespace oneagent::distributed {

struct CutProblem {
  std::vector<double> seconds;  // by place in the chain
  std::vector<bool> may_cut;    // in front of the place
  std::vector<double> bytes;    // that pass a cut in front of the place, both ways
  CostModel::Link link;
  double ranks_of_stage = 1;  // that share out the bytes
  int stages = 2;
  int ranks = 2;                           // stage s is on rank s mod ranks
  std::vector<std::pair<int, int>> owned;  // places that have to be on a rank

  double link_seconds(size_t place) const {
    return 2 * link.alpha + link.beta * bytes[place] / ranks_of_stage;
  }
};

// Chains longer than this are cut only where least data passes, at so many places of equal work.
inline constexpr size_t kCutPlaces = 512;

// The places in front of which stages 1, 2, ... begin. A stage takes its seconds and those of both
// of its links; the slowest one decides, then, within kCutSlack of it, the bytes in sum. Error:
// fewer places than stages need, or `owned` that fits no cut.
std::vector<size_t> best_cut(const CutProblem& problem);

// One call that reads or writes a buffer.
struct Touch {
  int anchor = 0;  // the forward call that it belongs to
  bool backward = false;
  int node = 0;
};

// Who makes and reads one buffer; calls that every stage makes for itself are left out.
struct DataFlow {
  std::vector<Touch> writers, uses;
  double bytes = 0;
  bool bound = false;              // memory from outside
  bool leaf = false;               // a parameter: its first stage has it
  BufferId gradient_of = -1;       // the buffer of a leaf
  const DataFlow* ends = nullptr;  // that leaf's flow: a gradient goes to where the leaf lies
};

// The range of places that a buffer passes. Forward calls run from low places to high ones, those
// of backward() from high to low.
struct FlowRange {
  int made = -1;  // -1: it does not pass from one place to another
  int low = 0, high = 0;
  bool glued = false;  // cannot pass: all of low .. high has to be one stage
};

template <class Place>
bool runs_backwards(const Touch& writer, const Touch& use, const Place& place) {
  const int made = place(writer.anchor), read = place(use.anchor);
  return writer.backward ? read > made : !use.backward && read < made;
}

// `place` turns an anchor into a place: itself or its stage.
template <class Place>
FlowRange range_of(const DataFlow& flow, const Place& place) {
  FlowRange out;
  bool first = true, glued = flow.bound ? !flow.writers.empty() : flow.writers.size() > 1;
  const auto take = [&](const Touch& touch) {
    const int at = place(touch.anchor);
    out.low = first ? at : std::min(out.low, at);
    out.high = first ? at : std::max(out.high, at);
    first = false;
  };
  for (const auto* touches : {&flow.writers, &flow.uses})
    for (const Touch& touch : *touches) take(touch);
  if (flow.ends != nullptr)
    for (const Touch& touch : flow.ends->uses) out.low = std::min(out.low, place(touch.anchor));
  if (first) return out;
  if (flow.writers.size() == 1)
    for (const Touch& use : flow.uses) glued = glued || runs_backwards(flow.writers[0], use, place);
  out.glued = glued;
  if (flow.writers.empty())
    out.made = flow.leaf ? out.low : -1;
  else
    out.made = place(flow.writers[0].anchor);
  return out;
}

}  // namespace oneagent::distributed
