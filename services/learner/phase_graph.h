// A phase of an algorithm as a graph: recorded once for each shape of its batch, then run as a plan
// with equal results, bit for bit. Gradients are added to those that stand in the parameters, as
// backward() does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/dist/cost.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "services/learner/phase_mesh.h"

namespace oneagent {
namespace distributed {
struct ParallelOptions;
}

class PhaseGraph {
 public:
  // On a mesh (null: on one device) rows of the batch are split along "data", parameters along
  // "tensor"; with a pipeline this is so in each stage, and batches pass in micro_batches_of()
  // parts.
  PhaseGraph(Phase phase, std::vector<Tensor> parameters, const PhaseMesh* mesh = nullptr);
  PhaseGraph(const PhaseGraph&) = delete;
  PhaseGraph& operator=(const PhaseGraph&) = delete;
  // The loss and the outputs, detached. nn::RecordingError: the phase cannot be a graph.
  PhaseOut run(const TensorMap& batch);
  // Seconds that one run would take on each of these meshes by its cost model, of one rank. Nothing
  // is placed or run. Needs a World, of any size.
  std::vector<double> seconds_on(const std::vector<Mesh>& meshes,
                                 const std::vector<distributed::CostModel>& costs,
                                 const TensorMap& batch);
  // The same on pipelines, with the rows of `batch` in so many micro-batches; `links` are those
  // between neighbouring stages. Infinity where the phase cannot be cut so.
  std::vector<double> seconds_on(const std::vector<PhaseMesh>& meshes,
                                 const std::vector<distributed::CostModel>& costs,
                                 const std::vector<distributed::CostModel::Link>& links,
                                 int micro_batches, const TensorMap& batch);
  // What a pipeline of so many ranks would be, with the rows of `batch` in so many micro-batches
  // (core/plan/layout.h). Nothing is placed or run. Needs a World, of any size.
  std::string pipeline(const distributed::ParallelOptions& options, int micro_batches,
                       const TensorMap& batch);
  size_t plan_count() const;
  // Of the ops of the last plan in their order, which all ranks of a mesh have in common.
  uint64_t program_hash() const;
  // How it is shared out, on a mesh, and the calls of the plan; after a run.
  std::string explain() const { return last_->sharding() + print(last_->plan()); }

 private:
  std::vector<Tensor> build(const std::vector<Tensor>& inputs, int parts = 1);
  nn::Graph& graph_of(int parts);
  std::vector<Tensor> run_parts(const TensorMap& batch, int parts);
  std::vector<Tensor> inputs_of(const TensorMap& batch);

  Phase phase_;
  std::vector<Tensor> parameters_;
  const std::optional<PhaseMesh> mesh_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<bool> is_number_;                       // of the results
  std::map<int, std::unique_ptr<nn::Graph>> graphs_;  // by number of micro-batches
  nn::Graph* last_ = nullptr;
};

}  // namespace oneagent
