// How many stages a program is best cut into on so many ranks, and over how many ranks each stage
// is then shared out: every divisor of the ranks is tried, with the shardings and the cut that the
// planner finds for it, and judged by the simulated time of a step and what a rank holds.
#pragma once

#include <string>
#include <vector>

#include "core/dist/pipeline_recording.h"

namespace oneagent {

struct LayoutCandidate {
  distributed::ParallelOptions options;  // with pipeline and mesh
  double seconds = 0;                    // of a step: all micro-batches
  double idle_share = 0;                 // of the ranks' time
  double bytes = 0;                      // the most that a rank holds
  std::string refusal;                   // why it cannot be; "" when it can
};

struct PipelineLayout {
  std::vector<LayoutCandidate> candidates;  // by pipeline
  size_t chosen = 0;
  const distributed::ParallelOptions& options() const { return candidates[chosen].options; }
  std::string text() const;  // a line a candidate, the chosen one marked
};

// `inputs` are those of one micro-batch; `options` has the cost, the schedule, the memory of a
// rank. The fastest candidate that fits is chosen. Error: none fits (says what the least is).
PipelineLayout choose_layout(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const distributed::ParallelOptions& options, int ranks, int micro_batches,
    const Generator& generator);

// What each of `options` would take, with its own mesh, pipeline and schedule; pipeline = 1 passes
// the micro-batches one after the other. What cannot be has a refusal. Those of equal mesh,
// pipeline and stages_per_rank have equal costs and pins. Needs a World, of any size.
std::vector<LayoutCandidate> judge_layouts(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const std::vector<distributed::ParallelOptions>& options, int micro_batches,
    const Generator& generator);

// What a pipeline as in `options` would be: its stages, the schedule, the time of a step and the
// share of it that ranks stand idle. Error: it cannot be cut so.
std::string explain_pipeline(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const distributed::ParallelOptions& options, int micro_batches, const Generator& generator);

}  // namespace oneagent
