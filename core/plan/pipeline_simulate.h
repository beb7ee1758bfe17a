// What a pipeline schedule costs, before it runs: each rank does its actions in order, a receive
// waits for its message, a send takes no time of the rank. Times are whole numbers of any unit, so
// that results can be equal to the published formulae, not near them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/plan/pipeline_schedule.h"

namespace oneagent {

struct PipelineTimes {  // of one stage (a chunk, where ranks have several) and one micro-batch
  int64_t forward = 1;
  int64_t input_grad = 1;
  int64_t weight_grad = 1;  // backward = input_grad + weight_grad
  int64_t latency = 0;      // from the end of a send to the end of its receive, at least
  int64_t reduce = 0;       // of one stage
  int64_t step = 0;
};

struct TimedAction {
  PipelineAction action;
  int64_t begin = 0, end = 0;
};

struct PipelineSimulation {
  std::vector<std::vector<TimedAction>> ranks;
  int64_t makespan = 0;            // from the first action of all to the last
  int64_t longest_span = 0;        // of one rank, from its own first action to its own last
  int64_t bubble = 0;              // longest_span without the work of a rank
  std::vector<int64_t> busy;       // by rank
  double idle_share = 0;           // of all ranks over the makespan, in [0, 1)
  int messages_in_flight = 0;      // most messages sent and not yet received, of any pair of ranks
  std::vector<int> activations;    // by rank, most (stage, micro-batch) pairs between F and I or B
  std::vector<int> weight_inputs;  // by rank, most pairs between I and W
  std::vector<int> held;           // by rank, most of both together
};

// `credits`: places of the ring behind each stage's results, and of that behind its input
// gradients; F (B, I) needs a free one when it begins, and one is free when the action that reads
// it has ended. 0: any number. Error: a deadlock, with who waits for whom.
PipelineSimulation simulate(const PipelineSchedule& schedule, const PipelineTimes& times = {},
                            int credits = 0);

// The fewest credits with which the schedule does not deadlock, and those with which it takes no
// longer than with any number.
int least_credits(const PipelineSchedule& schedule);
int full_speed_credits(const PipelineSchedule& schedule, const PipelineTimes& times = {});

// Published figures; T_F, T_I, T_W, T_B = T_I + T_W are times of one stage.
// Bubble, idle time of a rank (Narayanan et al. 2021, section 2.2; Qi et al. 2023, table 2):
//   GPipe, 1F1B and interleaved (p - 1)(T_F + T_B), where a chunk takes 1/v of a rank's work;
//   ZB-H1 (p - 1)(T_F + T_I - T_W), m >= p; ZB-H2 (p - 1)(T_F + T_I - 2 T_W), m >= 2 p - 1.
int64_t published_bubble(PipelineKind kind, const PipelineShape& shape, const PipelineTimes& times);
// Activations of a rank, in stages times micro-batches: GPipe m; 1F1B and ZB-H1 min(m, p - r);
// interleaved min(m v, (v - 1) p + 2 (p - r) - 1); ZB-H2 min(m, 2 (p - r) - 1).
int published_activations(PipelineKind kind, const PipelineShape& shape, int rank);

// The grid as papers draw it: a row a rank, a column a unit of time, "F3" forward of micro-batch 3
// (with chunks "F3b": of the rank's second one), "-" while it lasts, "." idle.
std::string to_text(const PipelineSchedule& schedule, const PipelineTimes& times = {});
// Shape, sums and the timed actions of every rank.
Json to_json(const PipelineSchedule& schedule, const PipelineTimes& times = {});

}  // namespace oneagent
