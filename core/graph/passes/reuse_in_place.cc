#include <algorithm>

#include "core/graph/passes.h"

namespace oneagent {
// The result's buffer becomes the operand's: the operand is whole (not a part of its buffer), dies
// here, and no other operand overlaps it in another layout.
void reuse_in_place(Program& program) {
  std::vector<size_t> last_use(program.buffers.size());
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    for (const ValueId value : program.nodes[i].in)
      if (value != kNoValue) last_use[static_cast<size_t>(program.buffer(value))] = i;
    for (const ValueId value : program.nodes[i].out)
      last_use[static_cast<size_t>(program.buffer(value))] = i;
  }
  for (const ValueId value : program.outputs)
    last_use[static_cast<size_t>(program.buffer(value))] = program.nodes.size();
  std::vector<std::vector<ValueId>> values_of(program.buffers.size());
  for (size_t i = 0; i < program.values.size(); ++i)
    values_of[static_cast<size_t>(program.values[i].buffer)].push_back(static_cast<ValueId>(i));
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    ProgramNode& node = program.nodes[i];
    if (!node.op->in_place || node.in_place || node.out.size() != 1 || node.in.empty() ||
        node.in[0] == kNoValue)
      continue;
    const BufferId from = program.buffer(node.in[0]), to = program.buffer(node.out[0]);
    const ProgramBuffer& buffer = program.buffers[static_cast<size_t>(from)];
    const ProgramBuffer& result = program.buffers[static_cast<size_t>(to)];
    if (buffer.kind != BufferKind::kTemporary || result.kind != BufferKind::kTemporary ||
        last_use[static_cast<size_t>(from)] != i || buffer.bytes != result.bytes ||
        !same_place(program.meta(node.in[0]), program.meta(node.out[0])))
      continue;
    const bool clean = std::all_of(node.in.begin() + 1, node.in.end(), [&](ValueId value) {
      return value == kNoValue || program.buffer(value) != from ||
             same_place(program.meta(value), program.meta(node.in[0]));
    });
    if (!clean) continue;
    for (const ValueId value : values_of[static_cast<size_t>(to)]) {
      program.values[static_cast<size_t>(value)].buffer = from;
      values_of[static_cast<size_t>(from)].push_back(value);
    }
    last_use[static_cast<size_t>(from)] = last_use[static_cast<size_t>(to)];
    node.in_place = true;
  }
}

}  // namespace oneagent
