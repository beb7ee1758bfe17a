#include "core/dist/pipeline_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/dist/logical_recording.h"
#include "core/dist/replay.h"
#include "core/dist/stage_leaves.h"
#include "core/graph/capture.h"
#include "core/graph/passes.h"
#include "core/graph/stage.h"
#include "core/graph/view.h"

namespace oneagent::distributed {
namespace {

size_t index(int32_t id) { return static_cast<size_t>(id); }

// Results that are inputs, or memory from outside, are copied, so that calls make all results.
BuildFunction with_own_results(const BuildFunction& build) {
  return [build](const std::vector<Tensor>& in) {
    std::vector<Tensor> results = build(in);
    for (Tensor& result : results) {
      if (!result.defined()) continue;
      const Ref<Storage>& storage = result.impl().storage;
      const bool given = std::any_of(in.begin(), in.end(), [&](const Tensor& input) {
        return input.defined() && local_part(input).impl().storage == storage;
      });
      if (given || !storage->symbolic() || storage->symbolic_id() == 0)
        result = copy_of(result.detach());
    }
    return results;
  };
}

// Drops what nobody reads. Gradients of dropped calls count to the call before; where the dropped
// one was computed again in backward(), to the call whose gradient that was for.
void drop_dead(Program& program) {
  std::vector<int32_t> stages, forwards, numbers(program.nodes.size(), -1);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    stages.push_back(program.nodes[i].stage);
    forwards.push_back(program.nodes[i].forward);
    program.nodes[i].stage = static_cast<int32_t>(i);
  }
  eliminate_dead(program);
  for (size_t i = 0; i < program.nodes.size(); ++i)
    numbers[index(program.nodes[i].stage)] = static_cast<int32_t>(i);
  int32_t before = 0;
  for (size_t old = 0; old < numbers.size(); ++old) {
    const int32_t forward = forwards[old];
    if (numbers[old] >= 0 && forward < 0)
      before = numbers[old];
    else if (numbers[old] < 0)
      numbers[old] = forward >= 0 && index(forward) < old ? numbers[index(forward)] : before;
  }
  for (ProgramNode& node : program.nodes) {
    node.stage = stages[index(node.stage)];
    if (node.forward >= 0)
      node.forward = numbers[std::min(index(node.forward), numbers.size() - 1)];
  }
}

// Everything whole, on a mesh of one rank.
ShardingPlan whole_plan(const Program& program, const CostModel& cost) {
  ShardingPlan plan;
  const Mesh one({1});
  std::set<ValueId> made;
  for (const ProgramNode& node : program.nodes) {
    std::vector<const TensorMeta*> inputs, results;
    for (const ValueId value : node.in)
      inputs.push_back(value == kNoValue ? nullptr : &program.meta(value));
    for (const ValueId value : node.out) results.push_back(&program.meta(value));
    plan.nodes.push_back(all_placings({*node.op,
                                       node.attrs,
                                       Metas(inputs.data(), inputs.size()),
                                       Metas(results.data(), results.size()),
                                       {},
                                       false},
                                      one, cost)
                             .front());
    plan.seconds += plan.nodes.back().seconds;
    for (const ValueId value : node.in)
      if (value != kNoValue && program.buffer_of(value).kind != BufferKind::kTemporary &&
          !made.contains(value))
        plan.sources[value] = Sharding::broadcast(1);
    if (!node.in_place) made.insert(node.out.begin(), node.out.end());
  }
  for (const ValueId value : program.inputs) plan.sources[value] = Sharding::broadcast(1);
  return plan;
}

// The same plan on the mesh of the world, where ranks of a stage do not see the other stages.
ShardingPlan widened(ShardingPlan plan, const Mesh& mesh) {
  const auto widen = [&](Sharding& sharding) {
    sharding = on_pipeline(Placement::broadcast(), sharding, mesh.dims());
  };
  for (Placing& placing : plan.nodes) {
    for (Sharding& sharding : placing.in) widen(sharding);
    for (Sharding& sharding : placing.out) widen(sharding);
  }
  for (auto& [value, sharding] : plan.sources) widen(sharding);
  return plan;
}

// Calls in the order of stages need buffers that are written once. How many results there are.
size_t prepare(Logical& logical) {
  for (const ProgramBuffer& buffer : logical.program.buffers)
    OA_REQUIRE(!buffer.bound || !buffer.bound->symbolic() ||
                   std::any_of(logical.leaves.begin(), logical.leaves.end(),
                               [&](ValueId leaf) {
                                 return leaf != kNoValue &&
                                        logical.program.buffer_of(leaf).bound == buffer.bound;
                               }),
               "pipeline: the function uses a global tensor that is no parameter of the graph; "
               "name it with add_parameters()");
  std::vector<ValueId>& outputs = logical.program.outputs;
  const size_t results = outputs.size();
  for (const ValueId gradient : logical.gradients)
    if (gradient != kNoValue) outputs.push_back(gradient);
  drop_dead(logical.program);
  mark_constants(logical.program);
  separate_writes(logical.program);
  size_t at = results;
  for (ValueId& gradient : logical.gradients)
    if (gradient != kNoValue) gradient = outputs[at++];
  outputs.resize(results);
  return results;
}

StageOptions stage_options(const Logical& logical, const ShardingPlan& plan,
                           const AutoOptions& automatic, const ParallelOptions& options) {
  StageOptions out;
  out.ranks = options.pipeline;
  out.stages = options.pipeline * options.stages_per_rank;
  for (const Placing& placing : plan.nodes) out.node_seconds.push_back(placing.seconds);
  out.link = options.pipeline_link;
  out.ranks_of_stage = static_cast<double>(options.mesh.ranks());
  out.leaves = logical.leaves;
  out.gradients = automatic.gradients;
  return out;
}

double local_bytes(const TensorMeta& meta, const Mesh& mesh, const Sharding& sharding) {
  const Shape sizes = mesh.ranks() > 1 ? local_sizes(meta.sizes, mesh, sharding, 0) : meta.sizes;
  return static_cast<double>(sizes.numel()) * static_cast<double>(size_of(meta.dtype));
}

PipelineEstimate estimate(const Logical& logical, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& leaves, const ParallelOptions& options) {
  const Program& program = logical.program;
  AutoOptions automatic = auto_options(logical, inputs, leaves, options);
  automatic.memory_bytes = std::numeric_limits<double>::infinity();  // judged by stages
  const ShardingPlan plan = options.mesh.ranks() > 1
                                ? choose_shardings(program, options.mesh, automatic)
                                : whole_plan(program, options.cost);
  PipelineEstimate out;
  const StageOptions cutting = stage_options(logical, plan, automatic, options);
  out.stages = choose_stages(program, cutting);
  out.text = explain(program, cutting, out.stages);
  double computing = 0;
  for (const Placing& placing : plan.nodes) computing += placing.seconds;
  const double moving = computing > 0 ? plan.seconds / computing : 1;  // spread over the stages
  for (double& seconds : out.stages.forward_seconds) seconds *= moving;
  for (double& seconds : out.stages.backward_seconds) seconds *= moving;
  const auto count = static_cast<size_t>(out.stages.stages);
  out.parameter_bytes.assign(count, 0);
  out.activation_bytes.assign(count, 0);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (const int stage = out.stages.leaf_stage[i]; stage >= 0)
      out.parameter_bytes[index(stage)] +=
          local_bytes(program.meta(logical.leaves[i]), options.mesh,
                      plan.sources.at(logical.leaves[i])) *
          (logical.gradients[i] != kNoValue ? automatic.parameter_copies : 1);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    if (node.op->alias_of >= 0 || node.in_place || out.stages.backward[i]) continue;
    for (size_t r = 0; r < node.out.size(); ++r)
      out.activation_bytes[index(out.stages.stage[i])] +=
          local_bytes(program.meta(node.out[r]), options.mesh, plan.nodes[i].out[r]);
  }
  return out;
}

class PipelineRecorder {
 public:
  PipelineRecorder(const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                   const ParallelOptions& options, const Generator& generator)
      : world_(World::current("graph of a pipeline")),
        inputs_(inputs),
        leaves_(leaves),
        options_(options),
        generator_(generator),
        mesh_(whole_mesh(options)) {
    OA_REQUIRE(mesh_.ranks() == world_.size(), "pipeline: ", options.pipeline,
               " ranks of a pipeline, each stage on ", options.mesh.ranks(), ", make a mesh of ",
               mesh_.ranks(), " ranks ", mesh_.text(), ", but the world has ", world_.size(),
               "; start ", mesh_.ranks(), " ranks, or make pipeline or mesh smaller");
    OA_REQUIRE(options.zero >= 0 && options.zero <= 3, "graph: zero must be 0, 1, 2 or 3, was ",
               options.zero);
    OA_REQUIRE(options.zero == 0 || (mesh_.dims() > 1 && options.zero_dim < options.mesh.dims()),
               "pipeline: ZeRO shares out what the ranks of a stage hold along dimension ",
               options.zero_dim, " of its mesh, which is ", options.mesh.text(),
               "; give stages a mesh with data ranks, or leave zero out");
    for (const Tensor& leaf : leaves)
      OA_REQUIRE(!is_global(leaf) || *global_parts(leaf).mesh == mesh_,
                 "pipeline: a parameter of "
                 "shape ",
                 leaf.sizes(), " lies on mesh ",
                 is_global(leaf) ? global_parts(leaf).mesh->text() : "", " already, not on ",
                 mesh_.text(), "; leave parameters unplaced, the graph places them");
  }

  PipelineRecording run(const BuildFunction& build) {
    shared_ = options_.mesh.ranks() > 1;
    logical_ = record_logical(with_own_results(build), inputs_, leaves_, generator_, shared_);
    require_same_program(logical_.program);
    results_ = prepare(logical_);
    AutoOptions automatic = auto_options(logical_, inputs_, leaves_, options_);
    automatic.memory_bytes *= options_.pipeline;  // the program is all stages, a rank has some
    plan_ = shared_ ? choose_shardings(logical_.program, options_.mesh, automatic)
                    : whole_plan(logical_.program, options_.cost);
    const StageOptions stage_options = cut(automatic);
    out_.bytes = plan_.bytes / options_.pipeline;
    out_.mesh = mesh_;
    split_ = place_in_stages(logical_, leaves_, options_, plan_, out_.stages, mesh_);
    replay_program();
    release();
    out_.explain = [program = std::make_shared<const Program>(std::move(logical_.program)),
                    mesh = options_.mesh, automatic, plan = plan_, stage_options,
                    stages = out_.stages, shared = shared_] {
      std::string text = distributed::explain(*program, stage_options, stages);
      return shared ? text + distributed::explain(*program, mesh, automatic, plan) : text;
    };
    return std::move(out_);
  }

 private:
  StageOptions cut(const AutoOptions& automatic) {
    StageOptions options = stage_options(logical_, plan_, automatic, options_);
    for (const Tensor& leaf : leaves_) {
      const bool owned = is_global(leaf) && global_parts(leaf).sharding[0].is_owner();
      options.owners.push_back(owned ? global_parts(leaf).sharding[0].axis : -1);
    }
    out_.stages = choose_stages(logical_.program, options);
    return options;
  }

  void replay_program() {
    const Program& program = logical_.program;
    std::map<ValueId, Tensor> values;
    std::vector<Ref<Storage>>& memory = out_.leaf_memory;
    memory.resize(leaves_.size());
    for (size_t i = 0; i < leaves_.size(); ++i) {
      if (out_.stages.leaf_stage[i] < 0) continue;
      values[logical_.leaves[i]] = seen_in_stage(leaves_[i], world_.rank());
      memory[i] = local_part(values[logical_.leaves[i]]).impl().storage;
    }
    const NoGradGuard no_grad;
    Capture capture(generator_);
    for (size_t i = 0; i < inputs_.size(); ++i)
      values[program.inputs[i]] = capture.input(inputs_[i]);
    std::optional<StageScope> stage;
    std::optional<GradientOfScope> gradient;
    const auto enter = [&](size_t node) {
      stage.reset();
      gradient.reset();
      stage.emplace(out_.stages.stage[node]);
      gradient.emplace(out_.stages.backward[node] ? 0 : -1);
    };
    ReplayOptions replaying;
    replaying.before = enter;
    replaying.split = split_;
    replaying.gathered_bytes = options_.gathered_bytes;
    replaying.part = [&](size_t node) {
      return 2 * out_.stages.stage[node] + (out_.stages.backward[node] ? 1 : 0);
    };
    replay(program, widened(plan_, mesh_), mesh_, values, replaying);
    for (const ValueId value : program.outputs) {
      for (size_t i = program.nodes.size(); i-- > 0;)
        if (makes(program.nodes[i], value)) {
          enter(i);
          break;
        }
      const Tensor& result = values.at(value);
      capture.output(is_global(result) ? to_whole(result) : result);
    }
    stage.reset();
    gradient.reset();
    for (size_t i = 0; i < leaves_.size(); ++i) {
      const ValueId value = out_.stages.leaf_stage[i] < 0 ? kNoValue : logical_.gradients[i];
      out_.gradients.push_back(value);
      out_.gradient_shardings.push_back(Sharding::broadcast(mesh_.dims()));
      if (value == kNoValue) continue;
      const Tensor& result = values.at(value);
      if (is_global(result)) out_.gradient_shardings[i] = global_parts(result).sharding;
      capture.output(result);
    }
    out_.program = capture.finish();
    out_.program.draws = program.draws;
    std::map<const Storage*, BufferId> buffers;
    for (size_t i = 0; i < out_.program.buffers.size(); ++i)
      if (const Ref<Storage>& bound = out_.program.buffers[i].bound)
        buffers.emplace(bound.get(), static_cast<BufferId>(i));
    for (const Ref<Storage>& storage : memory) {
      const auto found = buffers.find(storage.get());
      out_.leaf_buffers.push_back(!storage || found == buffers.end() ? -1 : found->second);
    }
  }

  bool makes(const ProgramNode& node, ValueId value) const {
    return std::any_of(node.out.begin(), node.out.end(), [&](ValueId out) {
      return logical_.program.buffer(out) == logical_.program.buffer(value);
    });
  }

  // What only the logical program held is constant in this rank's one.
  void release() {
    for (ProgramBuffer& buffer : logical_.program.buffers) buffer.bound.reset();
    mark_constants(out_.program);
    fold_constants(out_.program);
    size_t at = results_;
    for (ValueId& gradient : out_.gradients)
      if (gradient != kNoValue) gradient = out_.program.outputs[at++];
    out_.program.outputs.resize(results_);
  }

  World& world_;
  const std::vector<Tensor>& inputs_;
  const std::vector<Tensor>& leaves_;
  const ParallelOptions& options_;
  const Generator& generator_;
  const Mesh mesh_;
  bool shared_ = false;
  Logical logical_;
  ShardingPlan plan_;
  std::set<ValueId> split_;  // leaves that are gathered for their uses
  size_t results_ = 0;
  PipelineRecording out_;
};

}  // namespace

std::vector<PipelineEstimate> plan_pipelines(const BuildFunction& build,
                                             const std::vector<Tensor>& inputs,
                                             const std::vector<Tensor>& leaves,
                                             const std::vector<ParallelOptions>& options,
                                             const Generator& generator) {
  std::vector<PipelineEstimate> out(options.size());
  for (const bool shared : {false, true}) {
    Logical logical = record_logical(with_own_results(build), inputs, leaves, generator, shared);
    prepare(logical);
    for (size_t i = 0; i < options.size(); ++i) {
      if ((options[i].mesh.ranks() > 1) != shared) continue;
      try {
        out[i] = estimate(logical, inputs, leaves, options[i]);
      } catch (const Error& error) {
        out[i].refusal = error.what();
      }
    }
  }
  return out;
}

PipelineRecording record_pipeline(const BuildFunction& build, const std::vector<Tensor>& inputs,
                                  const std::vector<Tensor>& leaves, const ParallelOptions& options,
                                  const Generator& generator) {
  OA_REQUIRE(options.pipeline >= 2 && options.stages_per_rank >= 1,
             "pipeline: needs two ranks and a stage on each, was pipeline = ", options.pipeline,
             ", stages_per_rank = ", options.stages_per_rank);
  return PipelineRecorder(inputs, leaves, options, generator).run(build);
}

}  // namespace oneagent::distributed
