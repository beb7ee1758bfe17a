#include "core/dist/parallel_recording.h"

#include <algorithm>

#include "core/base/rng.h"
#include "core/dist/bucket.h"
#include "core/dist/global.h"
#include "core/dist/logical_recording.h"
#include "core/dist/prefetch.h"
#include "core/dist/replay.h"
#include "core/dist/zero.h"
#include "core/graph/capture.h"
#include "core/graph/passes.h"

namespace oneagent::distributed {
namespace {

// The leaves, by the last node that writes their gradients.
std::multimap<size_t, size_t> last_writes(const Logical& logical) {
  std::vector<size_t> last(logical.program.buffers.size(), logical.program.nodes.size());
  for (size_t i = 0; i < logical.program.nodes.size(); ++i) {
    const ProgramNode& node = logical.program.nodes[i];
    for (const ValueId value : node.out)
      last[static_cast<size_t>(logical.program.buffer(value))] = i;
  }
  std::multimap<size_t, size_t> out;
  for (size_t i = 0; i < logical.gradients.size(); ++i)
    if (logical.gradients[i] != kNoValue)
      out.emplace(last[static_cast<size_t>(logical.program.buffer(logical.gradients[i]))], i);
  return out;
}

// Leaves become global, as the plan and ZeRO say; their values.
std::map<ValueId, Tensor> place_leaves(const Logical& logical, const std::vector<Tensor>& leaves,
                                       const ParallelOptions& options, const ShardingPlan& plan,
                                       ReplayOptions& replaying) {
  std::vector<ValueId> trained;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (logical.gradients[i] != kNoValue) trained.push_back(logical.leaves[i]);
  const std::set<ValueId> gathered = gatherable(logical.program, trained);
  replaying.gathered_bytes = options.gathered_bytes;
  std::map<ValueId, Tensor> values;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ValueId value = logical.leaves[i];
    if (value == kNoValue) continue;
    const Sharding& computed = plan.sources.at(value);
    Sharding lies = computed;
    if (options.zero == 3 && gathered.contains(value))
      lies = split_along(leaves[i].sizes(), options.mesh, computed, options.zero_dim);
    if (!is_global(leaves[i]))
      place(leaves[i], options.mesh, lies);
    else if (options.zero == 3 && !(global_parts(leaves[i]).sharding == lies))
      place(leaves[i], options.mesh, lies);
    if (!(lies == computed)) replaying.split.insert(value);
    if (options.zero > 0 && logical.gradients[i] != kNoValue && lies == computed)
      split_step(leaves[i], options.zero_dim);
    values[value] = leaves[i].detach();
  }
  return values;
}

// Leaves that lie on a mesh lie on this one.
void require_on(const Mesh& mesh, const std::vector<Tensor>& leaves) {
  for (const Tensor& leaf : leaves)
    OA_REQUIRE(!is_global(leaf) || *global_parts(leaf).mesh == mesh, "graph on ranks: a parameter ",
               leaf.sizes(), " lies on mesh ", mesh_of(leaf).text(),
               ", as another graph has placed it, this graph is for mesh ", mesh.text(),
               "; give both the same mesh");
}

// A rank works on its part of an input, a copy.
void require_unchanged_inputs(const Program& program) {
  for (const ProgramNode& node : program.nodes) {
    if (node.op->alias_of >= 0) continue;
    for (const ValueId value : node.out)
      OA_REQUIRE(program.buffer_of(value).kind != BufferKind::kInput, node.op->name,
                 ": changes an input in place, of which each rank has a part alone; write the "
                 "result to a new tensor");
  }
}

}  // namespace

void check_options(const ParallelOptions& options) {
  const auto positive = [](const char* what, double value) {
    OA_REQUIRE(value > 0, "graph on ranks: ", what, " must be above 0, was ", value);
  };
  OA_REQUIRE(
      options.automatic || options.pipeline > 1 || options.mesh.dims() > 0,
      "graph on ranks: ParallelOptions::mesh is missing; give a Mesh of all ranks, pipeline, "
      "or automatic = true");
  OA_REQUIRE(options.pipeline >= 1, "graph on ranks: pipeline must be at least 1, was ",
             options.pipeline);
  OA_REQUIRE(options.stages_per_rank >= 1,
             "graph on ranks: stages_per_rank must be at least 1, was ", options.stages_per_rank);
  OA_REQUIRE(options.zero >= 0 && options.zero <= 3, "graph: zero must be 0, 1, 2 or 3, was ",
             options.zero);
  positive("memory_bytes", options.memory_bytes);
  positive("parameter_copies", options.parameter_copies);
  positive("cost.flops_per_second", options.cost.flops_per_second);
  positive("cost.bytes_per_second", options.cost.bytes_per_second);
  OA_REQUIRE(options.prefetch_calls >= 0, "graph on ranks: prefetch_calls must be at least 0, was ",
             options.prefetch_calls);
  OA_REQUIRE(options.gathered_bytes >= 0, "graph on ranks: gathered_bytes must be at least 0, was ",
             options.gathered_bytes);
  for (const size_t dim : options.split_leaves)
    OA_REQUIRE(options.automatic || dim < options.mesh.dims(),
               "graph on ranks: split_leaves names "
               "mesh dimension ",
               dim, ", the mesh ", options.mesh.text(), " has ", options.mesh.dims(),
               " dimensions");
}

void require_same_program(const Program& program) {
  std::string text = print(program);
  for (const ProgramNode& node : program.nodes)
    text += str(hash(node.attrs), " ", node.stage, "\n");
  for (const ProgramBuffer& buffer : program.buffers)
    text += str(static_cast<int>(buffer.kind), " ", buffer.bytes, "\n");
  for (const ProgramValue& value : program.values)
    text += str(value.buffer, " ", value.meta.offset, " ", value.meta.strides, "\n");
  comm::Communicator& all = World::current("graph on ranks").all();
  const uint64_t own = hash_text(text);
  std::vector<uint64_t> others(static_cast<size_t>(all.size()));
  all.all_gather(&own, others.data(), std::vector<size_t>(others.size(), sizeof own),
                 DType::kUInt8);
  for (size_t rank = 1; rank < others.size(); ++rank)
    OA_REQUIRE(others[rank] == others[0], "graph on ranks: rank ", rank,
               " has recorded another "
               "program than rank 0 (",
               program.nodes.size(), " calls on rank ", all.rank(),
               "); every rank runs the same function on inputs of the same shapes, with the same "
               "seed");
}

Mesh whole_mesh(const ParallelOptions& options) {
  Shape sizes = {options.pipeline};
  std::vector<std::string> names = {"pipeline"};
  for (size_t dim = 0; dim < options.mesh.dims(); ++dim) {
    sizes.push_back(options.mesh.size(dim));
    names.push_back(options.mesh.name(dim));
  }
  return Mesh(sizes, names);
}

double bucket_bytes_of(const ParallelOptions& options) {
  if (options.bucket_bytes >= 0) return options.bucket_bytes;
  double most = 0;
  for (size_t dim = 0; dim < options.mesh.dims(); ++dim)
    if (options.mesh.size(dim) > 1)
      most = std::max(most, 10 * options.cost.link[dim].alpha / options.cost.link[dim].beta);
  return most;
}

ParallelRecording record_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, const Generator& generator) {
  World::current("graph on a mesh");
  check_options(options);
  OA_REQUIRE(options.zero == 0 || options.zero_dim < options.mesh.dims(), "graph: zero_dim is ",
             options.zero_dim, ", the mesh ", options.mesh.text(), " has ", options.mesh.dims(),
             " dimensions");
  Logical logical = record_logical(build, inputs, leaves, generator, true);
  require_same_program(logical.program);
  require_on(options.mesh, leaves);
  require_unchanged_inputs(logical.program);
  ParallelRecording out;
  const AutoOptions automatic = auto_options(logical, inputs, leaves, options);
  out.plan = choose_shardings(logical.program, options.mesh, automatic);

  ReplayOptions replaying;
  std::map<ValueId, Tensor> values = place_leaves(logical, leaves, options, out.plan, replaying);
  const NoGradGuard no_grad;
  Capture capture(generator);
  for (size_t i = 0; i < inputs.size(); ++i)
    values[logical.program.inputs[i]] = capture.input(inputs[i]);
  // A gradient goes where it belongs as soon as no later call changes it.
  out.gradients.resize(leaves.size());
  const auto finish = [&](size_t leaf) {
    const Tensor gradient = values.at(logical.gradients[leaf]);
    const Sharding to =
        automatic.gradient_sharding(logical.program.meta(logical.leaves[leaf]), options.mesh,
                                    out.plan.sources.at(logical.leaves[leaf]));
    out.gradients[leaf] = capture.keep(
        is_global(gradient) ? reshard(gradient, to) : distribute(gradient, options.mesh, to));
  };
  const std::multimap<size_t, size_t> done = last_writes(logical);
  replaying.after = [&](size_t node) {
    const auto [first, last] = done.equal_range(node);
    for (auto at = first; at != last; ++at) finish(at->second);
  };
  replay(logical.program, out.plan, options.mesh, values, replaying);
  const auto whole = [](const Tensor& x) { return is_global(x) ? to_whole(x) : x; };
  for (const ValueId value : logical.program.outputs) capture.output(whole(values.at(value)));
  for (size_t i = 0; i < leaves.size(); ++i)
    if (logical.gradients[i] != kNoValue && !out.gradients[i].defined()) finish(i);
  out.program = capture.finish();
  bucket_collectives(out.program, {bucket_bytes_of(options), options.overlap});
  if (options.zero == 3 && options.overlap) {
    eliminate_dead(out.program);  // what waits leave under way is counted
    prefetch_gathers(out.program, options.prefetch_calls);
  }
  out.program.draws = logical.program.draws;
  // Its memory is not needed to explain it: whole parameters would stay with every rank.
  for (ProgramBuffer& buffer : logical.program.buffers) buffer.bound.reset();
  out.explain = [program = std::make_shared<const Program>(std::move(logical.program)),
                 mesh = options.mesh, automatic,
                 plan = out.plan] { return distributed::explain(*program, mesh, automatic, plan); };
  return out;
}

std::vector<ShardingPlan> plan_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const std::vector<ParallelOptions>& options, const Generator& generator) {
  const Logical logical = record_logical(build, inputs, leaves, generator, true);
  std::vector<ShardingPlan> plans;
  for (const ParallelOptions& each : options)
    plans.push_back(
        choose_shardings(logical.program, each.mesh, auto_options(logical, inputs, leaves, each)));
  return plans;
}

}  // namespace oneagent::distributed
