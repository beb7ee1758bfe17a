#include "services/learner/phase_graph.h"

#include <limits>

#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/dist/parallel_recording.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"
#include "core/plan/layout.h"

namespace oneagent {

namespace {

// Rows along "data"; parameters along "tensor", in the dimension that the planner finds best.
distributed::ParallelOptions parallel_options(const Mesh& mesh) {
  distributed::ParallelOptions out;
  out.mesh = mesh;
  out.split_leaves = {1};
  const int64_t rows = mesh.size(0);
  out.pin_input = [rows](const Tensor& x) {
    const bool split = x.dim() > 0 && x.size(0) >= rows;
    return distributed::Pin{split ? Placement::split(0) : Placement::broadcast(),
                            Placement::broadcast()};
  };
  out.pin_leaf = [](const Tensor&) {
    return distributed::Pin{Placement::broadcast(), std::nullopt};
  };
  return out;
}

// A pipeline of stages of one rank needs no shardings.
distributed::ParallelOptions parallel_options(const PhaseMesh& mesh) {
  distributed::ParallelOptions out;
  if (mesh.pipeline == 1 || mesh.mesh.ranks() > 1) out = parallel_options(mesh.mesh);
  out.pipeline = mesh.pipeline;
  out.schedule = mesh.schedule;
  out.stages_per_rank = mesh.stages_per_rank;
  return out;
}

}  // namespace

PhaseGraph::PhaseGraph(Phase phase, std::vector<Tensor> parameters, const PhaseMesh* mesh)
    : phase_(std::move(phase)),
      parameters_(std::move(parameters)),
      mesh_(mesh != nullptr ? std::optional(*mesh) : std::nullopt) {}

nn::Graph& PhaseGraph::graph_of(int parts) {
  std::unique_ptr<nn::Graph>& graph = graphs_[parts];
  if (graph == nullptr) {
    nn::GraphOptions options;
    options.micro_batches = parts;
    if (mesh_)
      options.parallel =
          std::make_shared<const distributed::ParallelOptions>(parallel_options(*mesh_));
    graph = std::make_unique<nn::Graph>(
        [this, parts](const std::vector<Tensor>& inputs) { return build(inputs, parts); }, options);
    graph->add_parameters(parameters_);
  }
  last_ = graph.get();
  return *graph;
}

size_t PhaseGraph::plan_count() const {
  size_t count = 0;
  for (const auto& [parts, graph] : graphs_) count += graph->plan_count();
  return count;
}

// The gradients of parts are added; that of their mean is wanted.
std::vector<Tensor> PhaseGraph::build(const std::vector<Tensor>& inputs, int parts) {
  TensorMap batch;
  for (size_t i = 0; i < inputs.size(); ++i) batch[input_names_[i]] = inputs[i];
  const PhaseOut out = phase_.function(batch);
  OA_CHECK(out.loss.defined() && out.loss.numel() == 1, "phase ", phase_.name,
           " returned no scalar loss");
  if (parts == 1)
    out.loss.backward();
  else
    (out.loss / static_cast<double>(parts)).backward();
  output_names_.clear();
  std::vector<Tensor> results = {out.loss.detach()};
  is_number_ = {true};
  for (const auto& [name, tensor] : out.outputs) {
    output_names_.push_back(name);
    is_number_.push_back(tensor.dim() == 0);
    results.push_back(tensor);
  }
  return results;
}

uint64_t PhaseGraph::program_hash() const {
  std::string ops;
  for (const ProgramNode& node : last_->program().nodes) ops += str(node.op->name, node.stage, ";");
  return hash_text(ops);
}

std::vector<Tensor> PhaseGraph::inputs_of(const TensorMap& batch) {
  std::vector<std::string> names;
  std::vector<Tensor> inputs;
  for (const auto& [name, tensor] : batch) {
    names.push_back(name);
    inputs.push_back(tensor);
  }
  if (names != input_names_) {
    for (const auto& [parts, graph] : graphs_) graph->clear();
    input_names_ = std::move(names);
  }
  return inputs;
}

std::vector<double> PhaseGraph::seconds_on(const std::vector<Mesh>& meshes,
                                           const std::vector<distributed::CostModel>& costs,
                                           const TensorMap& batch) {
  std::vector<distributed::ParallelOptions> options;
  for (size_t i = 0; i < meshes.size(); ++i) {
    options.push_back(parallel_options(meshes[i]));
    options.back().cost = costs[i];
  }
  const std::vector<Tensor> inputs = inputs_of(batch);
  std::vector<double> seconds;
  for (const distributed::ShardingPlan& plan :
       distributed::plan_parallel([this](const std::vector<Tensor>& in) { return build(in); },
                                  inputs, parameters_, options, default_generator()))
    seconds.push_back(plan.seconds);
  return seconds;
}

std::vector<double> PhaseGraph::seconds_on(const std::vector<PhaseMesh>& meshes,
                                           const std::vector<distributed::CostModel>& costs,
                                           const std::vector<distributed::CostModel::Link>& links,
                                           int micro_batches, const TensorMap& batch) {
  std::vector<distributed::ParallelOptions> options;
  for (size_t i = 0; i < meshes.size(); ++i) {
    options.push_back(parallel_options(meshes[i]));
    options.back().cost = costs[i];
    options.back().pipeline_link = links[i];
  }
  const TensorMap part = part_of_batch(phase_, batch, 0, micro_batches);
  std::vector<double> seconds;
  for (const LayoutCandidate& candidate :
       judge_layouts([this](const std::vector<Tensor>& in) { return build(in); }, inputs_of(part),
                     parameters_, options, micro_batches, default_generator()))
    seconds.push_back(candidate.refusal.empty() ? candidate.seconds
                                                : std::numeric_limits<double>::infinity());
  return seconds;
}

std::string PhaseGraph::pipeline(const distributed::ParallelOptions& options, int micro_batches,
                                 const TensorMap& batch) {
  OA_REQUIRE(phase_.rows, "pipeline: phase ", phase_.name,
             " takes whole batches alone, of which there is one");
  const int64_t rows = phase_.rows(batch);
  OA_REQUIRE(rows % micro_batches == 0, "pipeline: a batch of phase ", phase_.name, " has ", rows,
             " rows or lanes, which do not pass in ", micro_batches,
             " equal micro-batches; take a number that divides ", rows);
  return explain_pipeline([this](const std::vector<Tensor>& in) { return build(in); },
                          inputs_of(part_of_batch(phase_, batch, 0, micro_batches)), parameters_,
                          options, micro_batches, default_generator());
}

std::vector<Tensor> PhaseGraph::run_parts(const TensorMap& batch, int parts) {
  std::vector<std::vector<Tensor>> inputs;
  for (int k = 0; k < parts; ++k)
    inputs.push_back(inputs_of(part_of_batch(phase_, batch, k, parts)));
  std::vector<Tensor> results = graph_of(parts).run_parts(inputs);
  const NoGradGuard no_grad;
  for (size_t i = 0; i < results.size(); ++i)
    if (is_number_[i]) results[i] = mean(results[i]);
  return results;
}

PhaseOut PhaseGraph::run(const TensorMap& batch) {
  const int parts = mesh_ ? micro_batches_of(*mesh_, phase_, batch) : 1;
  OA_CHECK(parts > 0, "phase ", phase_.name, ": its batch does not fit the pipeline");
  const std::vector<Tensor> results =
      parts == 1 ? graph_of(1)(inputs_of(batch)) : run_parts(batch, parts);
  PhaseOut out;
  out.loss = results[0];
  for (size_t i = 0; i < output_names_.size(); ++i) out.outputs[output_names_[i]] = results[i + 1];
  return out;
}

}  // namespace oneagent
