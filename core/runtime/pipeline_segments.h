// A pipeline schedule as a SegmentGraph: the ranks of one process. Each rank is a strand that fires
// in the order of its action list; results and gradients that cross ranks are slots, and so is what
// F keeps for backward, with as many places as the schedule's table of activations says. SEND and
// RECV need no segment: a slot's ready and ack are the message.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan/pipeline_simulate.h"
#include "core/runtime/segment_graph.h"

namespace oneagent {

// Where an action finds its data: places in rings, or -1 where the action has none.
struct PipelinePlaces {
  int input = -1;      // F: the result of the stage before. B, I: the gradient of the result
  int output = -1;     // F: the result. B, I: the gradient of the input
  int kept = -1;       // F writes, B and I read: what backward needs
  int kept_grad = -1;  // I writes, W reads
};

// Places of each ring.
struct PipelineRings {
  int transfer = 1;                  // of each result and gradient between two stages
  std::vector<int> kept, kept_grad;  // by stage
};

struct PipelineGraph {
  SegmentGraph graph;
  PipelineRings rings;
};

// Calls `action(what, places)` for every F, B, I, W, REDUCE and STEP of a rank's list on the rank's
// strand "rank0", "rank1", ...; a step of the graph is one whole schedule. Segments are called "F
// (stage 2)", "STEP (rank 0)". The places are the fewest with which the schedule runs. Errors:
// those of check().
using PipelineFunction = std::function<void(const PipelineAction&, const PipelinePlaces&)>;
PipelineGraph pipeline_graph(const std::string& name, const PipelineSchedule& schedule,
                             const PipelineFunction& action, const PipelineTimes& times = {});

}  // namespace oneagent
