#include <algorithm>

#include "core/graph/passes.h"
#include "core/graph/run.h"

namespace oneagent {
namespace {

constexpr size_t kLargest = size_t{16} << 20;  // bytes of a result that is worth keeping

// Memory that nobody but the program holds, so that nobody else can change it.
bool is_private(const ProgramBuffer& buffer) {
  return buffer.kind == BufferKind::kBound && buffer.bound && buffer.bound->use_count() == 1;
}

Tensor tensor_of(const Program& program, ValueId value) {
  if (value == kNoValue) return {};
  return Tensor(make_ref<TensorImpl>(program.meta(value), program.buffer_of(value).bound));
}

std::vector<int32_t> writes_of(const Program& program) {
  std::vector<int32_t> writes(program.buffers.size());
  for (const ProgramNode& node : program.nodes)
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) ++writes[static_cast<size_t>(program.buffer(value))];
  return writes;
}

class Folding {
 public:
  explicit Folding(Program& program) : program_(program), writes_(writes_of(program)) {
    is_result_.resize(program.buffers.size());
    for (const ValueId value : program.outputs) is_result_[index(value)] = true;
  }

  // All operands known, and results that are written here alone and are not handed out.
  bool folds(const ProgramNode& node) const {
    const auto known = [&](ValueId value) {
      return value == kNoValue || program_.buffer_of(value).constant;
    };
    const auto fresh = [&](ValueId value) {
      const ProgramBuffer& buffer = program_.buffer_of(value);
      return buffer.kind == BufferKind::kTemporary && writes_[index(value)] == 1 &&
             !is_result_[index(value)] && buffer.bytes <= kLargest;
    };
    return node.op->alias_of < 0 && !node.op->random && !node.in_place && !node.recomputed &&
           std::all_of(node.in.begin(), node.in.end(), known) &&
           std::all_of(node.out.begin(), node.out.end(), fresh);
  }

  void fold(const ProgramNode& node) {
    std::vector<Tensor> in, out;
    std::vector<const Tensor*> operands;
    for (const ValueId value : node.in) in.push_back(tensor_of(program_, value));
    for (const Tensor& tensor : in) operands.push_back(&tensor);
    for (const ValueId value : node.out) {
      ProgramBuffer& buffer = program_.buffers[index(value)];
      buffer.kind = BufferKind::kBound;
      buffer.bound = make_ref<Storage>(buffer.bytes, context().stream);
      buffer.constant = true;
      out.push_back(tensor_of(program_, value));
    }
    run_kernel({*node.op, Inputs(operands.data(), operands.size()), node.attrs, out},
               context().stream);
  }

 private:
  size_t index(ValueId value) const { return static_cast<size_t>(program_.buffer(value)); }

  Program& program_;
  std::vector<int32_t> writes_;  // by buffer
  std::vector<bool> is_result_;  // likewise
};

}  // namespace

void mark_constants(Program& program) {
  const std::vector<int32_t> writes = writes_of(program);
  for (size_t i = 0; i < writes.size(); ++i)
    program.buffers[i].constant = is_private(program.buffers[i]) && writes[i] == 0;
}

void fold_constants(Program& program) {
  Folding folding(program);
  std::erase_if(program.nodes, [&](const ProgramNode& node) {
    if (!folding.folds(node)) return false;
    folding.fold(node);
    return true;
  });
}

}  // namespace oneagent
