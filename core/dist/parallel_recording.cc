#include "core/dist/parallel_recording.h"

#include <algorithm>

#include "core/dist/composite.h"
#include "core/dist/replay.h"
#include "core/dist/zero.h"
#include "core/graph/capture.h"

namespace oneagent::distributed {
namespace {

struct Logical {
  Program program;
  std::vector<ValueId> leaves, gradients;  // kNoValue for those that take no part
};

// Gradients that stand in the leaves are put aside meanwhile.
class GradientsAside {
 public:
  explicit GradientsAside(const std::vector<Tensor>& leaves) : leaves_(leaves) {
    for (const Tensor& leaf : leaves) {
      before_.push_back(leaf.grad());
      leaf.mutable_grad().reset();
    }
  }
  ~GradientsAside() {
    for (size_t i = 0; i < leaves_.size(); ++i) leaves_[i].mutable_grad() = before_[i];
  }
  GradientsAside(const GradientsAside&) = delete;
  GradientsAside& operator=(const GradientsAside&) = delete;

 private:
  const std::vector<Tensor>& leaves_;
  std::vector<Tensor> before_;
};

// The program of one device. Global leaves stand for whole memory here.
Logical record_logical(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
                       const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                       const Generator& generator) {
  const GradientsAside gradients(leaves);
  const World::Aside aside;  // ops are recorded as they are called
  const CompositeScope composites;
  Capture capture(generator);
  std::vector<Tensor> symbols;
  for (const Tensor& input : inputs) {
    symbols.push_back(capture.input(input));
    if (input.requires_grad()) symbols.back().requires_grad_();
  }
  for (const Tensor& result : build(symbols)) capture.output(result);
  std::vector<bool> has_gradient;
  for (const Tensor& leaf : leaves) {
    const Tensor gradient = leaf.grad();
    has_gradient.push_back(gradient.defined() && gradient.impl().storage->symbolic());
    if (has_gradient.back()) capture.output(gradient);
  }
  Logical out;
  out.program = capture.finish();
  std::vector<ValueId>& outputs = out.program.outputs;
  size_t at = outputs.size();
  for (const bool has : has_gradient) at -= has ? 1 : 0;
  const size_t results = at;
  for (size_t i = 0; i < leaves.size(); ++i) {
    out.leaves.push_back(find_value(out.program, leaves[i]));
    out.gradients.push_back(has_gradient[i] ? outputs[at++] : kNoValue);
  }
  outputs.resize(results);
  return out;
}

// ZeRO splits parameters, gradients and the state of optimizers one after the other; what is
// counted is what one rank holds of them.
double parameter_copies(const ParallelOptions& options) {
  if (options.zero == 0) return options.parameter_copies;
  const double whole = std::min(options.parameter_copies, static_cast<double>(3 - options.zero));
  return whole + (options.parameter_copies - whole) /
                     static_cast<double>(options.mesh.size(options.zero_dim));
}

Pin zero_pin(Pin fixed, const ParallelOptions& options, const Placement& placement) {
  fixed.resize(options.mesh.dims());
  fixed[options.zero_dim] = placement;
  return fixed;
}

AutoOptions auto_options(const Logical& logical, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& leaves, const ParallelOptions& options) {
  AutoOptions out;
  if (options.zero >= 2) out.split_gradients = options.zero_dim;
  out.cost = options.cost;
  out.memory_bytes = options.memory_bytes;
  out.parameter_copies = parameter_copies(options);
  const auto fix = [&](ValueId value, const std::function<Pin(const Tensor&)>& pin_of,
                       const Tensor& tensor) {
    if (pin_of == nullptr) return;
    if (Pin fixed = pin_of(tensor); !fixed.empty()) out.pins[value] = std::move(fixed);
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (options.pin_input != nullptr)
      fix(logical.program.inputs[i], options.pin_input, inputs[i]);
    else if (options.zero > 0 && inputs[i].dim() > 0)
      out.pins[logical.program.inputs[i]] = zero_pin({}, options, Placement::split(0));
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (logical.leaves[i] == kNoValue) continue;
    if (is_global(leaves[i]))
      out.pins[logical.leaves[i]] = pin(global_parts(leaves[i]).sharding);
    else
      fix(logical.leaves[i], options.pin_leaf, leaves[i]);
    if (options.zero > 0 && logical.gradients[i] != kNoValue) {
      Pin& fixed = out.pins[logical.leaves[i]];
      fixed = zero_pin(std::move(fixed), options, Placement::broadcast());
    }
    if (!is_global(leaves[i]) && logical.gradients[i] != kNoValue)
      out.splits[logical.leaves[i]] = options.split_leaves;
    if (logical.gradients[i] != kNoValue)
      out.gradients.emplace_back(logical.gradients[i], logical.leaves[i]);
  }
  return out;
}

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

}  // namespace

ParallelRecording record_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, const Generator& generator) {
  World::current("graph on a mesh");
  OA_REQUIRE(options.zero >= 0 && options.zero <= 3, "graph: zero must be 0, 1, 2 or 3, was ",
             options.zero);
  OA_REQUIRE(options.zero == 0 || options.zero_dim < options.mesh.dims(), "graph: zero_dim is ",
             options.zero_dim, ", the mesh ", options.mesh.text(), " has ", options.mesh.dims(),
             " dimensions");
  Logical logical = record_logical(build, inputs, leaves, generator);
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
  const Logical logical = record_logical(build, inputs, leaves, generator);
  std::vector<ShardingPlan> plans;
  for (const ParallelOptions& each : options)
    plans.push_back(
        choose_shardings(logical.program, each.mesh, auto_options(logical, inputs, leaves, each)));
  return plans;
}

}  // namespace oneagent::distributed
