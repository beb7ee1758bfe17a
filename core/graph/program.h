// Program: op calls that were recorded instead of run, over buffers that have no memory yet. A
// Value is a view of a buffer; a node that works in place writes a buffer again, so the order of
// nodes matters wherever they share one. Passes turn a Program into another; core/plan gives its
// buffers memory.
#pragma once

#include <string>
#include <vector>

#include "core/graph/op.h"

namespace oneagent {

using BufferId = int32_t;
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  // an absent optional operand

enum class BufferKind : uint8_t {
  kTemporary,  // made and used inside
  kInput,      // given anew for every run
  kBound,      // memory that exists outside: parameters, running statistics, constants
};

struct ProgramBuffer {
  BufferKind kind = BufferKind::kTemporary;
  size_t bytes = 0;
  Ref<Storage> bound;     // of kBound
  bool constant = false;  // of kBound: only the program holds it, and it is never written
};

struct ProgramValue {
  BufferId buffer = 0;
  TensorMeta meta;
};

struct ProgramNode {
  const Op* op = nullptr;
  Attrs attrs;
  std::vector<ValueId> in;
  std::vector<ValueId> out;  // views of in[op->alias_of] where the op makes views
  bool in_place = false;     // out[0] is in[0]
  bool recomputed = false;   // computes again what was dropped (core/graph/recompute.h)
  int32_t stage = -1;        // of a pipeline, as the user named it (core/graph/stage.h); -1: none
  int32_t forward = -1;      // the node whose gradient this one computes; -1: none
  // Of a random op: counter blocks between the first draw of the program and this node's.
  uint64_t draw = 0;
};

struct Program {
  std::vector<ProgramBuffer> buffers;
  std::vector<ProgramValue> values;
  std::vector<ProgramNode> nodes;  // in the order in which they run
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  uint64_t draws = 0;  // counter blocks that one run takes from its generator

  const TensorMeta& meta(ValueId value) const { return values[static_cast<size_t>(value)].meta; }
  BufferId buffer(ValueId value) const { return values[static_cast<size_t>(value)].buffer; }
  const ProgramBuffer& buffer_of(ValueId value) const {
    return buffers[static_cast<size_t>(buffer(value))];
  }
};

// The same elements of a buffer in the same order.
bool same_place(const TensorMeta& a, const TensorMeta& b);

// Where the random stream stands among the attributes of a random op: seed, stream and offset, one
// behind the other.
size_t seed_attr(const Op& op);

// "%7 = addmm(%2, %0, %1) [64, 2] float32"
std::string print(const Program& program, const ProgramNode& node);
// One line a node.
std::string print(const Program& program);

}  // namespace oneagent
