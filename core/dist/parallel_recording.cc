#include "core/dist/parallel_recording.h"

#include "core/dist/composite.h"
#include "core/dist/replay.h"
#include "core/graph/capture.h"

namespace oneagent::distributed {
namespace {

struct Logical {
  Program program;
  std::vector<ValueId> leaves, gradients;  // kNoValue for those that take no part
};

// The program of one device. Global leaves stand for whole memory here.
Logical record_logical(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
                       const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                       const Generator& generator) {
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

AutoOptions auto_options(const Logical& logical, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& leaves, const ParallelOptions& options) {
  AutoOptions out;
  out.cost = options.cost;
  out.memory_bytes = options.memory_bytes;
  out.parameter_copies = options.parameter_copies;
  const auto fix = [&](ValueId value, const std::function<Pin(const Tensor&)>& pin_of,
                       const Tensor& tensor) {
    if (pin_of == nullptr) return;
    if (Pin fixed = pin_of(tensor); !fixed.empty()) out.pins[value] = std::move(fixed);
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    fix(logical.program.inputs[i], options.pin_input, inputs[i]);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (logical.leaves[i] == kNoValue) continue;
    if (is_global(leaves[i]))
      out.pins[logical.leaves[i]] = pin(global_parts(leaves[i]).sharding);
    else
      fix(logical.leaves[i], options.pin_leaf, leaves[i]);
    if (!is_global(leaves[i]) && logical.gradients[i] != kNoValue)
      out.splits[logical.leaves[i]] = options.split_leaves;
    if (logical.gradients[i] != kNoValue)
      out.gradients.emplace_back(logical.gradients[i], logical.leaves[i]);
  }
  return out;
}

}  // namespace

ParallelRecording record_parallel(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, const Generator& generator) {
  World::current("graph on a mesh");
  std::vector<Tensor> before;
  for (const Tensor& leaf : leaves) before.push_back(leaf.grad());
  const auto restore = [&] {
    for (size_t i = 0; i < leaves.size(); ++i) leaves[i].mutable_grad() = before[i];
  };
  for (const Tensor& leaf : leaves) leaf.mutable_grad().reset();
  Logical logical;
  try {
    logical = record_logical(build, inputs, leaves, generator);
  } catch (...) {
    restore();
    throw;
  }
  restore();
  ParallelRecording out;
  const AutoOptions automatic = auto_options(logical, inputs, leaves, options);
  out.plan = choose_shardings(logical.program, options.mesh, automatic);

  std::map<ValueId, Tensor> values;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ValueId value = logical.leaves[i];
    if (value == kNoValue) continue;
    if (!is_global(leaves[i])) place(leaves[i], options.mesh, out.plan.sources.at(value));
    values[value] = leaves[i].detach();
  }
  const NoGradGuard no_grad;
  Capture capture(generator);
  for (size_t i = 0; i < inputs.size(); ++i)
    values[logical.program.inputs[i]] = capture.input(inputs[i]);
  replay(logical.program, out.plan, options.mesh, values);
  const auto whole = [](const Tensor& x) { return is_global(x) ? to_whole(x) : x; };
  for (const ValueId value : logical.program.outputs) capture.output(whole(values.at(value)));
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ValueId value = logical.gradients[i];
    if (value == kNoValue) {
      out.gradients.emplace_back();
      continue;
    }
    const Tensor gradient = values.at(value);
    const Sharding& sharding = sharding_of(leaves[i]);
    out.gradients.push_back(capture.keep(is_global(gradient)
                                             ? reshard(gradient, sharding)
                                             : distribute(gradient, options.mesh, sharding)));
  }
  out.program = capture.finish();
  out.program.draws = logical.program.draws;
  // Its memory is not needed to explain it: whole parameters would stay with every rank.
  for (ProgramBuffer& buffer : logical.program.buffers) buffer.bound.reset();
  out.explain = [program = std::make_shared<const Program>(std::move(logical.program)),
                 mesh = options.mesh, automatic,
                 plan = out.plan] { return distributed::explain(*program, mesh, automatic, plan); };
  return out;
}

}  // namespace oneagent::distributed
