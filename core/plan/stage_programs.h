// A rank's training program of one micro-batch, cut into the parts that a pipeline schedule runs:
// for each stage F, and B or its halves I and W (core/plan/pipeline_schedule.h). What one part
// makes and a later one reads passes as whole buffers: kept on the rank, sent on to the next stage,
// or sent back to the one before. What skips a stage is forwarded by it.
//
// I is what the gradients that are sent back depend on, W the rest: the gradients of parameters.
#pragma once

#include <map>
#include <vector>

#include "core/graph/program.h"

namespace oneagent {

// How a program is to be cut. Its nodes have a stage each, and `forward` >= 0 marks those of
// backward().
struct StagedProgram {
  Program program;
  int stages = 1;
  std::vector<ValueId> gradients;      // of parameters, by leaf; kNoValue: none
  std::vector<int> leaf_stage;         // by leaf: where it lies; -1: nowhere
  std::vector<BufferId> leaf_buffers;  // by leaf; -1: it takes no part
};

struct StageSegment {
  struct Source {
    int input = -1;        // number of the program's input, or
    BufferId buffer = -1;  // what an earlier part made or a neighbour sent
  };
  Program program;
  std::vector<Source> sources;    // of its inputs
  std::vector<BufferId> results;  // of its outputs, each a flat tensor of all of the buffer
};

// When a buffer is let go: after the last of these that reads it.
enum class StageEvent : uint8_t { kForward, kSentOn, kInputGrad, kSentBack, kWeightGrad };

struct StageProgram {
  StageSegment forward;
  StageSegment backward;  // B, or with halves:
  StageSegment input_grad, weight_grad;
  std::vector<BufferId> sent_on, sent_back;    // to the next stage, to the one before
  std::vector<BufferId> taken_on, taken_back;  // from the one before, from the next
  std::vector<BufferId> lent;                  // parameters of this stage that later ones read
  std::map<BufferId, StageEvent> last;
  std::vector<std::pair<size_t, BufferId>> gradients;  // of leaf
  std::vector<std::pair<size_t, BufferId>> outputs;    // of the program: number, buffer
};

class StagePrograms {
 public:
  // Error: a stage would read what a later one makes.
  explicit StagePrograms(const StagedProgram& staged);
  // The parts of stage `stage`; `halves`: I and W instead of B.
  StageProgram stage(int stage, bool halves) const;
  // Where result `output` of the program is made.
  int stage_of_output(size_t output) const;
  // All of a buffer as a contiguous tensor of one dimension.
  TensorMeta flat(BufferId buffer) const;

 private:
  struct Use {
    int stage;
    bool backward;
  };
  struct Flow {
    int made = -1;          // stage; -1: everywhere, or nowhere
    bool backward = false;  // made there
    bool leaf = false;
    std::vector<Use> uses;
  };
  bool passes_on(BufferId buffer, int stage) const;    // from `stage` to the next
  bool passes_back(BufferId buffer, int stage) const;  // from `stage` to the one before
  std::vector<bool> input_grad_nodes(int stage) const;
  StageSegment segment(int stage, const std::vector<size_t>& nodes,
                       const std::vector<BufferId>& wanted) const;

  const StagedProgram& staged_;
  std::vector<bool> free_;
  std::vector<Flow> flows_;                  // by buffer
  std::vector<ValueId> first_value_;         // by buffer
  std::vector<std::vector<size_t>> makers_;  // by buffer, nodes that write it
  std::vector<BufferId> sent_on_, sent_back_;
};

}  // namespace oneagent
