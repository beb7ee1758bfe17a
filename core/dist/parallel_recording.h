// A function recorded for a mesh: first as one logical program, for which shardings are chosen,
// then as this rank's program with the collectives in it. Every rank records the same.
#pragma once

#include <functional>

#include "core/dist/auto_parallel.h"
#include "core/dist/world.h"

namespace oneagent::distributed {

struct ParallelOptions {
  Mesh mesh;
  CostModel cost;
  double memory_bytes = std::numeric_limits<double>::infinity();  // of one rank
  double parameter_copies = 4;  // the parameter, its gradient and the optimizer's state
  // What is fixed for an input and for a leaf that is not global yet; none or {} for nothing.
  // Leaves that are global stay where they are.
  std::function<Pin(const Tensor&)> pin_input, pin_leaf;
  // Mesh dimensions along which leaves with a gradient have to be split.
  std::vector<size_t> split_leaves;
  // ZeRO 1 to 3 (core/dist/zero.h) over the ranks along `zero_dim`, which share out the rows of
  // the inputs; leaves have to be equal copies along it as far as they are computed with. Inputs
  // are split along their first dimension where pin_input does not say otherwise.
  int zero = 0;
  size_t zero_dim = 0;
  double gathered_bytes = 0;  // stage 3: of parameters that stay gathered for further calls
  // Stage 3, with `overlap` and without a pipeline: the parameters of so many further calls are
  // gathered while one computes (core/dist/prefetch.h), and are whole meanwhile.
  int prefetch_calls = 1;
  // Gradients of so many bytes are reduced together (core/dist/bucket.h): 0: each for itself, below
  // 0: chosen by the cost of a collective; beside compute, with `overlap`.
  double bucket_bytes = -1;
  bool overlap = true;

  // Ranks of a pipeline (docs/pipeline.md): the program is cut into pipeline * stages_per_rank
  // stages, each shared out over `mesh` (none, Mesh(): a rank a stage), and GraphOptions's
  // micro-batches pass through them in the order of `schedule`. The world has
  // pipeline * mesh.ranks() ranks; those of a stage are neighbours.
  int pipeline = 1;
  int stages_per_rank = 1;        // more than one: of "interleaved"
  std::string schedule = "1f1b";  // "gpipe", "interleaved", "zb-h1", "zb-h2"
  CostModel::Link pipeline_link;  // between the ranks of neighbouring stages

  // pipeline, mesh and stages are chosen for all ranks of the world at the first call
  // (core/plan/layout.h), from cost, pipeline_link and memory_bytes.
  bool automatic = false;
};

// Error: what no mesh could make sense of, with the option and its value.
void check_options(const ParallelOptions& options);

// Called by all ranks with what they have recorded. Error on all of them when one has recorded
// another program: calls, attributes, shapes or random numbers.
void require_same_program(const Program& program);

// The mesh of the whole world: "pipeline", then the dimensions of `mesh`.
Mesh whole_mesh(const ParallelOptions& options);

// Bytes of a bucket: bucket_bytes, or what the slowest link sends in ten times alpha.
double bucket_bytes_of(const ParallelOptions& options);

struct ParallelRecording {
  Program program;                // of this rank
  std::vector<Tensor> gradients;  // of the leaves, filled by each run; undefined for those without
  ShardingPlan plan;
  std::function<std::string()> explain;  // what was chosen and why; plans others to compare
};

// `build` computes results from symbolic inputs and may call backward(). Leaves become global
// tensors, placed as chosen. Inputs of the program are whole tensors, the same on every rank, and
// so are its results. Error: no World in this thread, or one of choose_shardings().
ParallelRecording record_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, const Generator& generator);

// What record_parallel() would choose with each of `options`, for meshes that need not be that of
// the World. Leaves stay as they are.
std::vector<ShardingPlan> plan_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const std::vector<ParallelOptions>& options, const Generator& generator);

}  // namespace oneagent::distributed
