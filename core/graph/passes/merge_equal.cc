#include <unordered_map>

#include "core/graph/passes.h"

namespace oneagent {
namespace {

// An operand is a value in the state that its buffer had: how many writes it had seen.
using State = std::vector<int32_t>;

uint64_t key_of(const ProgramNode& node, const std::vector<ValueId>& in, const State& writes,
                const Program& program) {
  uint64_t key = reinterpret_cast<uintptr_t>(node.op) ^ hash(node.attrs);
  for (const ValueId value : in) {
    key = key * 0x100000001b3u + static_cast<uint64_t>(value + 1);
    if (value == kNoValue) continue;
    key = key * 31 + static_cast<uint64_t>(writes[static_cast<size_t>(program.buffer(value))]);
  }
  return key;
}

std::vector<std::vector<ValueId>> values_of_buffers(const Program& program) {
  std::vector<std::vector<ValueId>> values(program.buffers.size());
  for (size_t i = 0; i < program.values.size(); ++i)
    values[static_cast<size_t>(program.values[i].buffer)].push_back(static_cast<ValueId>(i));
  return values;
}

}  // namespace

void merge_equal(Program& program) {
  std::vector<std::vector<ValueId>> values_of = values_of_buffers(program);
  State writes_of(program.buffers.size());
  std::vector<int32_t> total(program.buffers.size());  // writes in the whole program
  for (const ProgramNode& node : program.nodes)
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) ++total[static_cast<size_t>(program.buffer(value))];
  std::vector<bool> is_result(program.buffers.size());
  for (const ValueId value : program.outputs)
    is_result[static_cast<size_t>(program.buffer(value))] = true;

  std::vector<ValueId> renamed(program.values.size());
  for (size_t i = 0; i < renamed.size(); ++i) renamed[i] = static_cast<ValueId>(i);
  struct Seen {
    size_t node;
    std::vector<int32_t> writes;  // of the operands' buffers, then
  };
  std::unordered_map<uint64_t, std::vector<Seen>> seen;
  std::vector<ProgramNode> kept;
  for (ProgramNode& node : program.nodes) {
    for (ValueId& value : node.in)
      if (value != kNoValue) value = renamed[static_cast<size_t>(value)];
    const bool computes =
        !node.in_place && !node.recomputed && node.op->alias_of < 0 && !node.op->random;
    // A result that is written again later, or handed out, must stay a buffer of its own.
    bool mergeable = computes;
    for (const ValueId value : node.out) {
      const auto buffer = static_cast<size_t>(program.buffer(value));
      mergeable = mergeable && total[buffer] == 1 && !is_result[buffer];
    }
    bool merged = false;
    if (mergeable) {
      std::vector<int32_t> states;
      for (const ValueId value : node.in)
        states.push_back(value == kNoValue ? 0
                                           : writes_of[static_cast<size_t>(program.buffer(value))]);
      std::vector<Seen>& same = seen[key_of(node, node.in, writes_of, program)];
      for (const Seen& earlier : same) {
        const ProgramNode& other = kept[earlier.node];
        if (other.op != node.op || !(other.attrs == node.attrs) || other.in != node.in ||
            earlier.writes != states)
          continue;
        // Views over the dropped buffer are renamed when their own nodes are met; values that name
        // the buffer directly are renamed here.
        for (size_t i = 0; i < node.out.size(); ++i) {
          const BufferId to = program.buffer(other.out[i]);
          std::vector<ValueId>& dropped =
              values_of[static_cast<size_t>(program.buffer(node.out[i]))];
          std::vector<ValueId>& values = values_of[static_cast<size_t>(to)];
          for (const ValueId value : dropped)
            program.values[static_cast<size_t>(value)].buffer = to;
          values.insert(values.end(), dropped.begin(), dropped.end());
          dropped.clear();
          renamed[static_cast<size_t>(node.out[i])] = other.out[i];
        }
        merged = true;
        break;
      }
      if (!merged) same.push_back({kept.size(), std::move(states)});
    }
    if (merged) continue;
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) ++writes_of[static_cast<size_t>(program.buffer(value))];
    kept.push_back(std::move(node));
  }
  program.nodes = std::move(kept);
  for (ValueId& value : program.outputs) value = renamed[static_cast<size_t>(value)];
}

}  // namespace oneagent
