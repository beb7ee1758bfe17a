#include "core/dist/replay.h"

#include <algorithm>
#include <unordered_map>

#include "absl/container/inlined_vector.h"
#include "core/dist/zero.h"

namespace oneagent::distributed {
namespace {

// Memory from outside as a tensor.
Tensor bound_tensor(const Program& program, ValueId value) {
  const ProgramBuffer& buffer = program.buffer_of(value);
  OA_CHECK(buffer.bound, "replay: %", value, " has no memory");
  return Tensor(make_ref<TensorImpl>(program.meta(value), buffer.bound));
}

bool is_whole(const Sharding& sharding) {
  return std::all_of(sharding.begin(), sharding.end(),
                     [](const Placement& placement) { return placement.is_broadcast(); });
}

void run_node(const Program& program, const ShardingPlan& plan, const Mesh& mesh, size_t index,
              std::map<ValueId, Tensor>& values) {
  const Tensor absent;
  const ProgramNode& node = program.nodes[index];
  absl::InlinedVector<const Tensor*, kMaxInputs> in;
  for (const ValueId value : node.in) in.push_back(value == kNoValue ? &absent : &values.at(value));
  std::vector<Tensor> out(node.out.size());
  if (node.in_place) out[0] = *in[0];
  World::current("replay").run_placed(
      {*node.op, Inputs(in.data(), in.size()), node.attrs, {out.data(), out.size()}, node.in_place},
      plan.nodes[index], mesh);
  for (size_t r = 0; r < out.size(); ++r)
    if (!node.in_place) values[node.out[r]] = out[r];
}

}  // namespace

std::vector<ValueId> find_values(const Program& program, const std::vector<Tensor>& bound) {
  std::unordered_map<const Storage*, std::vector<ValueId>> in_storage;
  for (size_t i = 0; i < program.values.size(); ++i) {
    const auto value = static_cast<ValueId>(i);
    if (const auto& storage = program.buffer_of(value).bound)
      in_storage[storage.get()].push_back(value);
  }
  std::vector<ValueId> out;
  for (const Tensor& tensor : bound) {
    const std::vector<ValueId>& values = in_storage[tensor.impl().storage.get()];
    const auto found = std::find_if(values.begin(), values.end(), [&](ValueId value) {
      return same_place(program.meta(value), tensor.impl().meta);
    });
    out.push_back(found == values.end() ? kNoValue : *found);
  }
  return out;
}

void replay(const Program& program, const ShardingPlan& plan, const Mesh& mesh,
            std::map<ValueId, Tensor>& values, const ReplayOptions& options) {
  for (const auto& [value, sharding] : plan.sources) {
    Tensor& tensor = values[value];
    if (options.split.contains(value)) continue;
    if (!tensor.defined()) tensor = bound_tensor(program, value);
    if (is_global(tensor))
      tensor = reshard(tensor, sharding);
    else if (!is_whole(sharding))  // else the tensor itself, which the program may change
      tensor = distribute(tensor, mesh, sharding);
  }
  GatherOnUse gather(program, plan, mesh, options.split, options.gathered_bytes, run_node);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (options.before) options.before(i);
    if (!gather.waits(i)) {
      gather.gather_for(i, values, options.part ? options.part(i) : 0);
      run_node(program, plan, mesh, i, values);
    }
    if (options.after) options.after(i);
  }
}

}  // namespace oneagent::distributed
