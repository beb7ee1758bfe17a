// A function recorded for a pipeline whose stages are each shared out over a mesh: as one logical
// program, which is cut into stages and for which shardings are chosen, then as this rank's program
// of all stages. Every rank records the same and runs its own stages of it.
#pragma once

#include "core/dist/parallel_recording.h"
#include "core/dist/stages.h"

namespace oneagent::distributed {

struct PipelineRecording {
  Program program;  // its nodes have a stage, and forward >= 0 in backward(); results are whole
  Mesh mesh;        // of the world; the first dimension is the pipeline
  StagePlan stages;
  // By leaf.
  std::vector<ValueId> gradients;  // this rank's part of one micro-batch's; kNoValue: none
  std::vector<Sharding> gradient_shardings;  // on `mesh`
  std::vector<BufferId> leaf_buffers;        // -1: it takes no part
  std::vector<Ref<Storage>> leaf_memory;     // of those buffers
  double bytes = 0;  // that a rank holds of a stage on average, as the planner counts it
  std::function<std::string()> explain;
};

// `inputs` are those of one micro-batch. Leaves become global tensors on the whole mesh: the ranks
// of the first stage that uses one hold it, the others hold nothing of it. Error: as
// record_parallel() and choose_stages(); a world of another size; a leaf on another mesh.
PipelineRecording record_pipeline(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, const Generator& generator);

// What record_pipeline() would choose, for worlds that need not be this one; pipeline = 1 is one
// stage on `mesh`. Leaves stay as they are and may not be global.
struct PipelineEstimate {
  StagePlan stages;                      // seconds with those of moving data inside of stages
  std::vector<double> parameter_bytes;   // by stage, of one rank, with gradients and optimizer
  std::vector<double> activation_bytes;  // by stage, of one rank, of one micro-batch
  std::string text;                      // a line a stage
  std::string refusal;                   // why it cannot be; "" when it can
};
std::vector<PipelineEstimate> plan_pipelines(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const std::vector<ParallelOptions>& options, const Generator& generator);

}  // namespace oneagent::distributed
