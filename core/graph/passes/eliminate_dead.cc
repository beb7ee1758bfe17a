#include <algorithm>

#include "core/graph/passes.h"

namespace oneagent {

// From the last call to the first: a call is needed when it writes memory that is read later, that
// is a result, or that exists outside. Buffers count whole, so that a write to a part keeps them.
void eliminate_dead(Program& program) {
  std::vector<bool> needed(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i)
    needed[i] = program.buffers[i].kind == BufferKind::kBound;
  for (const ValueId value : program.outputs)
    needed[static_cast<size_t>(program.buffer(value))] = true;
  std::vector<bool> keep(program.nodes.size());
  for (size_t i = program.nodes.size(); i-- > 0;) {
    const ProgramNode& node = program.nodes[i];
    for (const ValueId value : node.out)
      keep[i] = keep[i] || needed[static_cast<size_t>(program.buffer(value))];
    if (node.op->alias_of >= 0) continue;  // kept below, by what reads the view
    if (!keep[i]) continue;
    for (const ValueId value : node.in)
      if (value != kNoValue) needed[static_cast<size_t>(program.buffer(value))] = true;
  }
  std::vector<bool> read(program.values.size());
  for (const ValueId value : program.outputs) read[static_cast<size_t>(value)] = true;
  std::vector<ProgramNode> nodes;
  for (size_t i = program.nodes.size(); i-- > 0;) {
    ProgramNode& node = program.nodes[i];
    if (node.op->alias_of >= 0)
      keep[i] = std::any_of(node.out.begin(), node.out.end(),
                            [&](ValueId value) { return read[static_cast<size_t>(value)]; });
    if (!keep[i]) continue;
    for (const ValueId value : node.in)
      if (value != kNoValue) read[static_cast<size_t>(value)] = true;
    nodes.push_back(std::move(node));
  }
  std::reverse(nodes.begin(), nodes.end());
  program.nodes = std::move(nodes);
}

}  // namespace oneagent
