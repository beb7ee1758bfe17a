#include "core/base/text.h"
#include "core/graph/passes.h"
#include "core/plan/fuse_activation.h"
#include "core/plan/fuse_bias_gradient.h"
#include "core/plan/memory.h"
#include "core/plan/plan.h"

namespace oneagent {
namespace {

// Positions are steps. Scratch needs no memory.
std::vector<Lifetime> lifetimes(const Program& program, const std::vector<PlanStep>& steps) {
  std::vector<Lifetime> out(program.buffers.size());
  std::vector<bool> seen(program.buffers.size());
  const auto touch = [&](ValueId value, size_t position) {
    if (value == kNoValue) return;
    const auto buffer = static_cast<size_t>(program.buffer(value));
    if (!seen[buffer]) out[buffer].first = static_cast<int32_t>(position);
    seen[buffer] = true;
    out[buffer].last = static_cast<int32_t>(position);
  };
  for (size_t i = 0; i < steps.size(); ++i)
    for (const size_t node : steps[i].nodes) {
      for (const ValueId value : program.nodes[node].in) touch(value, i);
      for (const ValueId value : program.nodes[node].out) touch(value, i);
    }
  for (size_t i = 0; i < out.size(); ++i)
    if (seen[i]) out[i].bytes = program.buffers[i].bytes;
  for (const PlanStep& step : steps)
    for (const auto& [buffer, block] : step.scratch) out[static_cast<size_t>(buffer)].bytes = 0;
  return out;
}

}  // namespace

Plan compile(Program program, const PlanOptions& options) {
  mark_constants(program);
  if (options.fold_constants) fold_constants(program);
  if (options.merge_equal) merge_equal(program);
  if (options.eliminate_dead) eliminate_dead(program);
  if (options.fuse) fuse_activations(program);
  if (options.reuse_in_place) reuse_in_place(program);
  if (options.fuse) fuse_bias_gradients(program);
  Plan plan;
  plan.is_result.resize(program.buffers.size());
  for (const ValueId value : program.outputs) {
    const auto buffer = static_cast<size_t>(program.buffer(value));
    plan.is_result[buffer] = program.buffers[buffer].kind == BufferKind::kTemporary;
  }
  plan.offsets.assign(program.buffers.size(), kNotInArena);
  plan.steps = make_steps(program, options.fuse);
  plan.lifetimes = lifetimes(program, plan.steps);
  const std::vector<Lifetime>& all = plan.lifetimes;
  std::vector<Lifetime> packed;
  std::vector<size_t> buffers;
  for (size_t i = 0; i < all.size(); ++i)
    if (program.buffers[i].kind == BufferKind::kTemporary && !plan.is_result[i] &&
        all[i].bytes > 0) {
      packed.push_back(all[i]);
      buffers.push_back(i);
    }
  const Packing packing = pack(packed);
  for (size_t i = 0; i < buffers.size(); ++i) plan.offsets[buffers[i]] = packing.offsets[i];
  plan.arena_bytes = packing.bytes;
  plan.lower_bound_bytes = packing.lower_bound;
  plan.program = std::move(program);
  return plan;
}

std::string print(const Plan& plan) {
  std::string text = print(plan.program);
  for (const PlanStep& step : plan.steps)
    if (step.fused())
      text += str("fused: ", step.nodes.size(), " calls over ", step.elements, " elements, ",
                  step.scratch.size(), " results stay inside\n");
  for (size_t i = 0; i < plan.offsets.size(); ++i)
    if (plan.offsets[i] != kNotInArena)
      text += str("buffer ", i, ": ", plan.program.buffers[i].bytes, " bytes at ", plan.offsets[i],
                  "\n");
  return text +
         str("arena: ", plan.arena_bytes, " bytes, ", plan.lower_bound_bytes, " alive at once\n");
}

}  // namespace oneagent
