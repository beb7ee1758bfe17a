#include "core/plan/fuse_activation.h"

#include <algorithm>
#include <string_view>

#include "core/kernels/cpu/gemm.h"

namespace oneagent {
namespace {

cpu::Activation activation_of(const Op& op) {
  const std::string_view name = op.name;
  if (name == "tanh") return cpu::Activation::kTanh;
  if (name == "sigmoid") return cpu::Activation::kSigmoid;
  return name == "relu" ? cpu::Activation::kRelu : cpu::Activation::kNone;
}

class Fusing {
 public:
  explicit Fusing(Program& program)
      : program_(program),
        touches_(program.buffers.size()),
        kept_(program.buffers.size()),
        dropped_(program.nodes.size()) {
    for (size_t i = 0; i < program.nodes.size(); ++i)
      for (const auto* values : {&program.nodes[i].in, &program.nodes[i].out})
        for (const ValueId value : *values)
          if (value != kNoValue) touches_[buffer(value)].push_back(i);
    for (size_t i = 0; i < kept_.size(); ++i)
      kept_[i] = program.buffers[i].kind != BufferKind::kTemporary;
    for (const ValueId value : program.outputs) kept_[buffer(value)] = true;
  }

  void run() {
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      ProgramNode& linear = program_.nodes[i];
      if (std::string_view(linear.op->name) != "linear" || linear.attrs.integer(0) != 0) continue;
      const size_t next = activation_after(i);
      if (next == 0) continue;
      const ProgramNode& activation = program_.nodes[next];
      linear.attrs.set(0, static_cast<int64_t>(activation_of(*activation.op)));
      linear.out = activation.out;
      dropped_[next] = true;
    }
    size_t i = 0;
    std::erase_if(program_.nodes, [&](const ProgramNode&) { return dropped_[i++]; });
  }

 private:
  size_t buffer(ValueId value) const { return static_cast<size_t>(program_.buffer(value)); }

  // The activation that is next to touch the result of node i, where the result itself is not
  // needed; or 0.
  size_t activation_after(size_t i) const {
    const ProgramNode& linear = program_.nodes[i];
    const ValueId result = linear.out[0];
    const std::vector<size_t>& touches = touches_[buffer(result)];
    const auto after = std::upper_bound(touches.begin(), touches.end(), i);
    if (after == touches.end() || touches.front() != i || is_half(program_.meta(result).dtype))
      return 0;
    const ProgramNode& node = program_.nodes[*after];
    if (activation_of(*node.op) == cpu::Activation::kNone || node.in[0] != result) return 0;
    if (node.out[0] == result) return *after;  // in place
    const bool last = touches.back() == *after && !kept_[buffer(result)];
    const bool fresh = touches_[buffer(node.out[0])].front() == *after &&
                       program_.buffer_of(node.out[0]).kind == BufferKind::kTemporary;
    const TensorMeta& out = program_.meta(node.out[0]);
    const bool alike = is_contiguous(out) && out.dtype == program_.meta(result).dtype;
    return last && fresh && alike ? *after : 0;
  }

  Program& program_;
  std::vector<std::vector<size_t>> touches_;  // nodes by buffer, in order
  std::vector<bool> kept_;                    // buffers that are needed outside
  std::vector<bool> dropped_;                 // by node
};

}  // namespace

void fuse_activations(Program& program) { Fusing(program).run(); }

}  // namespace oneagent
