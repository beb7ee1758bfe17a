#include "core/base/text.h"
#include "core/graph/passes.h"
#include "core/plan/memory.h"
#include "core/plan/plan.h"

namespace oneagent {
namespace {

std::vector<Lifetime> lifetimes(const Program& program) {
  std::vector<Lifetime> out(program.buffers.size());
  std::vector<bool> seen(program.buffers.size());
  const auto touch = [&](ValueId value, size_t position) {
    if (value == kNoValue) return;
    const auto buffer = static_cast<size_t>(program.buffer(value));
    if (!seen[buffer]) out[buffer].first = static_cast<int32_t>(position);
    seen[buffer] = true;
    out[buffer].last = static_cast<int32_t>(position);
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].op->alias_of >= 0) continue;  // no memory is touched
    for (const ValueId value : program.nodes[i].in) touch(value, i);
    for (const ValueId value : program.nodes[i].out) touch(value, i);
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (seen[i]) out[i].bytes = program.buffers[i].bytes;
  return out;
}

}  // namespace

Plan compile(Program program, const PlanOptions& options) {
  if (options.merge_common) merge_common(program);
  if (options.eliminate_dead) eliminate_dead(program);
  if (options.reuse_in_place) reuse_in_place(program);
  Plan plan;
  plan.is_result.resize(program.buffers.size());
  for (const ValueId value : program.outputs) {
    const auto buffer = static_cast<size_t>(program.buffer(value));
    plan.is_result[buffer] = program.buffers[buffer].kind == BufferKind::kTemporary;
  }
  plan.offsets.assign(program.buffers.size(), kNotInArena);
  const std::vector<Lifetime> all = lifetimes(program);
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
  for (size_t i = 0; i < plan.offsets.size(); ++i)
    if (plan.offsets[i] != kNotInArena)
      text += str("buffer ", i, ": ", plan.program.buffers[i].bytes, " bytes at ", plan.offsets[i],
                  "\n");
  return text +
         str("arena: ", plan.arena_bytes, " bytes, ", plan.lower_bound_bytes, " alive at once\n");
}

}  // namespace oneagent
