#include "services/learner/phase_graph.h"

#include "core/base/rng.h"
#include "core/base/text.h"
#include "core/dist/parallel_recording.h"
#include "core/plan/layout.h"

namespace oneagent {

namespace {

// Rows along "data"; parameters along "tensor", in the dimension that the planner finds best.
std::shared_ptr<const distributed::ParallelOptions> parallel_options(const Mesh* mesh) {
  if (mesh == nullptr) return nullptr;
  auto out = std::make_shared<distributed::ParallelOptions>();
  out->mesh = *mesh;
  out->split_leaves = {1};
  // Each gradient for itself: a team that comes back in the middle of a run ends with the bits of
  // one that was never lost.
  out->bucket_bytes = 0;
  const int64_t rows = mesh->size(0);
  out->pin_input = [rows](const Tensor& x) {
    const bool split = x.dim() > 0 && x.size(0) >= rows;
    return distributed::Pin{split ? Placement::split(0) : Placement::broadcast(),
                            Placement::broadcast()};
  };
  out->pin_leaf = [](const Tensor&) {
    return distributed::Pin{Placement::broadcast(), std::nullopt};
  };
  return out;
}

}  // namespace

PhaseGraph::PhaseGraph(Phase phase, std::vector<Tensor> parameters, const Mesh* mesh)
    : phase_(std::move(phase)),
      parameters_(parameters),
      graph_(std::make_unique<nn::Graph>(
          [this](const std::vector<Tensor>& inputs) { return build(inputs); },
          nn::GraphOptions{.parallel = parallel_options(mesh)})) {
  graph_->add_parameters(std::move(parameters));
}

std::vector<Tensor> PhaseGraph::build(const std::vector<Tensor>& inputs) {
  TensorMap batch;
  for (size_t i = 0; i < inputs.size(); ++i) batch[input_names_[i]] = inputs[i];
  const PhaseOut out = phase_.function(batch);
  OA_CHECK(out.loss.defined() && out.loss.numel() == 1, "phase ", phase_.name,
           " returned no scalar loss");
  out.loss.backward();
  output_names_.clear();
  std::vector<Tensor> results = {out.loss.detach()};
  for (const auto& [name, tensor] : out.outputs) {
    output_names_.push_back(name);
    results.push_back(tensor);
  }
  return results;
}

uint64_t PhaseGraph::program_hash() const {
  std::string ops;
  for (const ProgramNode& node : graph_->plan().program.nodes) ops += str(node.op->name, ";");
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
    graph_->clear();
    input_names_ = std::move(names);
  }
  return inputs;
}

std::vector<double> PhaseGraph::seconds_on(const std::vector<Mesh>& meshes,
                                           const std::vector<distributed::CostModel>& costs,
                                           const TensorMap& batch) {
  std::vector<distributed::ParallelOptions> options;
  for (size_t i = 0; i < meshes.size(); ++i) {
    options.push_back(*parallel_options(&meshes[i]));
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

std::string PhaseGraph::pipeline(const distributed::ParallelOptions& options, int micro_batches,
                                 const TensorMap& batch) {
  std::vector<Tensor> part;
  for (const Tensor& input : inputs_of(batch))
    part.push_back(input.dim() == 0
                       ? input
                       : input.narrow(0, 0, std::max<int64_t>(1, input.size(0) / micro_batches)));
  return explain_pipeline([this](const std::vector<Tensor>& in) { return build(in); }, part,
                          parameters_, options, micro_batches, default_generator());
}

PhaseOut PhaseGraph::run(const TensorMap& batch) {
  const std::vector<Tensor> results = (*graph_)(inputs_of(batch));
  PhaseOut out;
  out.loss = results[0];
  for (size_t i = 0; i < output_names_.size(); ++i) out.outputs[output_names_[i]] = results[i + 1];
  return out;
}

}  // namespace oneagent
