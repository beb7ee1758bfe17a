#include "core/dist/logical_recording.h"

#include <optional>
#include <set>

#include "core/dist/composite.h"
#include "core/dist/replay.h"
#include "core/dist/world.h"
#include "core/graph/capture.h"

namespace oneagent::distributed {
namespace {

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

// A global tensor has memory of its ranks alone, for which a parameter stands.
void require_memory(const Logical& logical) {
  std::set<BufferId> known;
  for (const ValueId leaf : logical.leaves)
    if (leaf != kNoValue) known.insert(logical.program.buffer(leaf));
  for (size_t i = 0; i < logical.program.values.size(); ++i) {
    const ProgramValue& value = logical.program.values[i];
    const Ref<Storage>& memory = logical.program.buffers[static_cast<size_t>(value.buffer)].bound;
    OA_REQUIRE(!memory || !memory->symbolic() || known.contains(value.buffer),
               "graph on ranks: the function uses a global tensor ", value.meta.sizes,
               " that is none of the graph's parameters; add it with add_parameters()");
  }
}

Logical record(const BuildFunction& build, const std::vector<Tensor>& inputs,
               const std::vector<Tensor>& leaves, const Generator& generator, bool composites) {
  const World::Aside aside;  // ops are recorded as they are called
  std::optional<CompositeScope> composite;
  if (composites) composite.emplace();
  Capture capture(generator);
  std::vector<Tensor> symbols;
  for (const Tensor& input : inputs) {
    OA_REQUIRE(!is_global(input), "graph on ranks: input ", symbols.size(), " ", input.sizes(),
               " is a global tensor; give the whole one, the same on all ranks: to_whole(x)");
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
  out.leaves = find_values(out.program, leaves);
  for (size_t i = 0; i < leaves.size(); ++i) {
    out.gradients.push_back(has_gradient[i] ? outputs[at++] : kNoValue);
  }
  outputs.resize(results);
  require_memory(out);
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

// Parameters and inputs are values, not terms of a sum; whose stage they are of, the pipeline says.
void require_whole_values(const Pin& pin, bool leaf, const Tensor& tensor, const Mesh& mesh) {
  for (size_t dim = 0; dim < pin.size(); ++dim)
    OA_REQUIRE(!pin[dim] || pin[dim]->is_split() || pin[dim]->is_broadcast(),
               "graph on ranks: ", leaf ? "pin_leaf of a parameter " : "pin_input of an input ",
               tensor.sizes(), " says ", *pin[dim], " along mesh dimension ",
               dim < mesh.dims() ? mesh.name(dim) : str(dim),
               "; it can be split(axis), broadcast() or std::nullopt, which leaves it open");
}

}  // namespace

Logical record_logical(const BuildFunction& build, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& leaves, const Generator& generator,
                       bool composites) {
  const GradientsAside gradients(leaves);
  return record(build, inputs, leaves, generator, composites);
}

Sharding stage_sharding(const GlobalParts& parts) {
  if (parts.mesh->name(0) != "pipeline") return parts.sharding;
  Sharding out;
  for (size_t dim = 1; dim < parts.sharding.size(); ++dim) out.push_back(parts.sharding[dim]);
  return out;
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
    Pin fixed = pin_of(tensor);
    if (fixed.empty()) return;
    require_whole_values(fixed, &pin_of == &options.pin_leaf, tensor, options.mesh);
    out.pins[value] = std::move(fixed);
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (options.pin_input != nullptr)
      fix(logical.program.inputs[i], options.pin_input, inputs[i]);
    else if (options.zero > 0 && inputs[i].dim() > 0)
      out.pins[logical.program.inputs[i]] = zero_pin({}, options, Placement::split(0));
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (logical.leaves[i] == kNoValue) continue;
    if (is_global(leaves[i]))
      out.pins[logical.leaves[i]] = pin(stage_sharding(global_parts(leaves[i])));
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

}  // namespace oneagent::distributed
