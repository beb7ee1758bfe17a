// The stages of a pipeline: which stage each call of a recorded training program belongs to. A
// program of one micro-batch is forward calls, then the calls of backward(). The gradient of a call
// belongs to the stage of that call, so it is enough to cut the forward calls, in the order in
// which they were recorded: where the user said (core/graph/stage.h), or so that the slowest stage
// takes the least time and, among cuts as good, the least data passes between neighbours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/dist/cost.h"
#include "core/graph/program.h"

namespace oneagent::distributed {

struct StageOptions {
  int stages = 2;
  int ranks = 2;                     // stage s runs on rank s mod ranks
  std::vector<double> node_seconds;  // computing, of each call
  CostModel::Link link;              // between neighbours
  double ranks_of_stage = 1;         // that share out what is sent
  std::vector<ValueId> leaves;       // parameters; kNoValue for those that take no part
  std::vector<int> owners;           // of leaves, the rank that has it already; -1: any
  std::vector<std::pair<ValueId, ValueId>> gradients;  // and their leaves
};

struct StagePlan {
  int stages = 1;
  // By node.
  std::vector<int> stage;
  std::vector<bool> backward;  // is it of backward(), or behind it
  // Depends on inputs and constants alone: each stage that needs it computes it itself, and the
  // stage above is only the first one.
  std::vector<bool> free;
  std::vector<int> leaf_stage;  // by leaf: the first stage that uses it; -1: none does
  // By stage, of one micro-batch: computing forward and backward, and what goes to the next stage
  // and back (0 for the last).
  std::vector<double> forward_seconds, backward_seconds, forward_bytes, backward_bytes;
  bool named = false;  // by the user

  double link_seconds(const CostModel::Link& link, int stage) const;  // both ways, behind `stage`
  double stage_seconds(const CostModel::Link& link, int stage) const;
};

// Among cuts whose slowest stage is within this share of the best one, the least data decides.
inline constexpr double kCutSlack = 0.02;

// Errors: fewer places to cut than stages need; a named stage that is missing or too many; data
// that would run backwards (from a stage to an earlier one before backward()), with the call and
// what to write instead; memory outside that two stages change.
StagePlan choose_stages(const Program& program, const StageOptions& options);

// "stage 0 (rank 0): 12 calls, forward 1.2 ms, backward 2.1 ms, 0.50 MB of parameters; 0.02 MB on":
// a line a stage.
std::string explain(const Program& program, const StageOptions& options, const StagePlan& plan);

// Calls that work in place on all of a temporary get a result of their own instead, so that the
// buffer is written once; core/plan makes them work in place again where it can.
void separate_writes(Program& program);

// By node: reads inputs and constants only, is not random and not in place.
std::vector<bool> free_calls(const Program& program);

}  // namespace oneagent::distributed
