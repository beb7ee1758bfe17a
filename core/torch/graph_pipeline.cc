// nn::Graph on a pipeline of ranks.
#include "core/dist/bucket.h"
#include "core/dist/global.h"
#include "core/dist/pipeline_recording.h"
#include "core/graph/loss_scale.h"
#include "core/graph/passes.h"
#include "core/plan/layout.h"
#include "core/plan/op_by_name.h"
#include "core/plan/pipeline_simulate.h"
#include "core/torch/graph_compiled.h"

namespace oneagent::nn {
namespace {

// How the gradient of a leaf lies: as the leaf or, where ZeRO splits it, as what is stepped.
const Tensor& gradient_like(const PipelineCall& call, size_t leaf) {
  return call.splits_gradients ? stepped_part(call.leaves[leaf]) : call.leaves[leaf];
}

// The gradients of the leaves of a stage, of all micro-batches: reduced once, in buckets, to where
// they lie.
std::vector<Tensor> placed(const PipelineCall& call, const PipelineRun::Gradients& gradients,
                           double bucket_bytes) {
  std::vector<distributed::Moved> moved;
  for (const auto& [leaf, gradient] : gradients) {
    Sharding in_stage = distributed::sharding_of(gradient_like(call, leaf));
    in_stage[0] = Placement::broadcast();
    moved.push_back({gradient, call.leaves[leaf].sizes(), call.gradient_shardings[leaf], in_stage});
  }
  std::vector<Tensor> out = distributed::reshard_in_buckets(moved, *call.mesh, bucket_bytes);
  for (size_t i = 0; i < gradients.size(); ++i)
    out[i] = global_like(gradient_like(call, gradients[i].first), out[i]);
  return out;
}

void give(const PipelineCall& call, size_t leaf, const Tensor& gradient) {
  Tensor& stands = call.leaves[leaf].mutable_grad();
  if (call.adds[leaf] && stands.defined())
    stands.add_(gradient);
  else
    stands = gradient;
}

}  // namespace

bool Graph::has_pipeline() const {
  return options_.parallel != nullptr && options_.parallel->pipeline > 1;
}

// Where parameters lie on a mesh already, another graph has chosen.
void Graph::settle_layout(const std::vector<Tensor>& micro_batch) {
  if (options_.parallel == nullptr || !options_.parallel->automatic) return;
  const std::vector<Tensor> leaves = this->leaves();
  const auto placed = std::find_if(leaves.begin(), leaves.end(), is_global);
  distributed::ParallelOptions options = *options_.parallel;
  options.automatic = false;
  if (placed != leaves.end()) {
    options.mesh = distributed::mesh_of(*placed);
    options.pipeline = 1;
    if (options.mesh.name(0) == "pipeline") {
      options.pipeline = static_cast<int>(options.mesh.size(0));
      options.mesh =
          options.mesh.dims() > 1 ? Mesh({options.mesh.size(1)}, {options.mesh.name(1)}) : Mesh();
    }
  } else {
    const int ranks = distributed::World::current("graph on ranks").size();
    const PipelineLayout layout =
        choose_layout(build_, micro_batch, leaves, options, ranks,
                      static_cast<int>(options_.micro_batches), generator_);
    options = layout.options();
    layout_ = layout.text();
  }
  options_.parallel = std::make_shared<const distributed::ParallelOptions>(options);
}

std::unique_ptr<Graph::Compiled> Graph::record_pipeline(const std::vector<Tensor>& inputs) {
  auto compiled = std::make_unique<Compiled>(Compiled{Signature(inputs)});
  const std::vector<Tensor> leaves = this->leaves();
  const distributed::ParallelOptions& options = *options_.parallel;
  const PipelineSchedule schedule = make_pipeline(
      pipeline_kind(options.schedule),
      {options.pipeline, static_cast<int>(options_.micro_batches), options.stages_per_rank});
  const auto states = states_before(leaves);
  distributed::PipelineRecording recording;
  try {
    const auto scale = loss_scale();
    recording = distributed::record_pipeline(build_, inputs, leaves, options, generator_);
  } catch (const Error& error) {
    throw RecordingError(error.what());
  }
  restore_states(states);
  if (is_half(options_.amp)) mixed_precision(recording.program, options_.amp, *op_by_name("to"));
  auto call = std::make_unique<PipelineCall>();
  distributed::World& world = distributed::World::current("pipeline");
  call->mesh = world.mesh(world.mesh_number(recording.mesh));
  call->leaves = leaves;
  call->splits_gradients = options.zero >= 2;
  call->gradient_shardings = std::move(recording.gradient_shardings);
  call->memory = std::move(recording.leaf_memory);
  for (size_t i = 0; i < leaves.size(); ++i) {
    call->adds.push_back(i < parameters_.size());
    call->has_gradient.push_back(recording.gradients[i] != kNoValue);
    if (!call->has_gradient[i] && !call->adds[i]) compiled->without_gradient.push_back(leaves[i]);
  }
  StagedProgram staged{std::move(recording.program), recording.stages.stages,
                       std::move(recording.gradients), recording.stages.leaf_stage,
                       std::move(recording.leaf_buffers)};
  call->run = std::make_unique<PipelineRun>(std::move(staged), schedule,
                                            world.communicator(world.group(recording.mesh, 0)),
                                            options_.plan, generator_);
  call->run->set_trace(trace_, trace_prefix_);
  compiled->pipeline = std::move(call);
  bind(*compiled, leaves);
  sharding_ = [schedule, explain = std::move(recording.explain)] {
    return explain() + to_text(schedule);
  };
  return compiled;
}

void Graph::run_pipeline(const Compiled& compiled, const std::vector<std::vector<Tensor>>& parts,
                         std::vector<Tensor>& results) {
  const PipelineCall& call = *compiled.pipeline;
  std::vector<std::vector<Tensor>> of_parts;
  const NoGradGuard no_grad;
  std::vector<bool> given(call.leaves.size());
  call.run->run(
      parts,
      [&](const PipelineRun::Gradients& gradients) {
        const std::vector<Tensor> reduced =
            placed(call, gradients, distributed::bucket_bytes_of(*options_.parallel));
        for (size_t i = 0; i < gradients.size(); ++i) {
          give(call, gradients[i].first, reduced[i]);
          given[gradients[i].first] = true;
        }
      },
      of_parts);
  for (size_t leaf = 0; leaf < call.leaves.size(); ++leaf) {
    if (!call.has_gradient[leaf] || given[leaf]) continue;
    const Tensor& like = gradient_like(call, leaf);
    const Tensor& nothing = local_part(like);  // another stage has it
    give(call, leaf,
         global_like(like, empty_on(context().stream, nothing.sizes(), nothing.dtype())));
  }
  results = joined(of_parts);
}

// Of this rank; the gradients of the runs are given to nobody.
std::string Graph::profile_pipeline(const std::vector<Tensor>& inputs, int runs) {
  std::vector<std::vector<Tensor>> parts, results;
  for (int64_t k = 0; k < options_.micro_batches; ++k)
    parts.push_back(micro_batch_of(inputs, k, options_.micro_batches));
  PipelineRun& run = *compiled_for(parts[0]).pipeline->run;
  const NoGradGuard no_grad;
  const auto seconds = run.time_steps(
      [&] {
        run.run(
            parts, [](const PipelineRun::Gradients&) {}, results);
      },
      runs);
  std::string text;
  for (size_t i = 0; i < seconds.size(); ++i)
    text += str("part ", i, " of this rank's stages, of one micro-batch\n") +
            profile_text(*run.plans()[i], seconds[i]);
  return text;
}

const PipelineUse& Graph::pipeline_use() const {
  OA_REQUIRE(has_pipeline() && !plans_.empty(),
             "graph: pipeline_use() is of a call of a graph with a pipeline");
  return plans_.front()->pipeline->run->use();
}

std::vector<const Plan*> Graph::pipeline_plans() const {
  OA_REQUIRE(has_pipeline() && !plans_.empty(),
             "graph: pipeline_plans() is of a call of a graph with a pipeline");
  return plans_.front()->pipeline->run->plans();
}

}  // namespace oneagent::nn
