#include "core/plan/fuse_bias_gradient.h"

#include <algorithm>
#include <string_view>

#include "core/kernels/cpu/bias_gradient.h"
#include "core/plan/bias_gradient.h"

namespace oneagent {
namespace {

constexpr int64_t kLeastColumns = 32;  // sums over fewer are added in another order

cpu::Activation activation_of(const Op& op) {
  const std::string_view name = op.name;
  if (name == "tanh_backward") return cpu::Activation::kTanh;
  if (name == "sigmoid_backward") return cpu::Activation::kSigmoid;
  return name == "relu_backward" ? cpu::Activation::kRelu : cpu::Activation::kNone;
}

bool is_plain(const TensorMeta& meta) {
  return meta.dtype == DType::kFloat32 && is_contiguous(meta);
}

class Fusing {
 public:
  explicit Fusing(Program& program)
      : program_(program),
        writer_(program.buffers.size(), -1),
        touched_(program.buffers.size(), -1),
        dropped_(program.nodes.size()) {}

  void run() {
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      const ProgramNode& node = program_.nodes[i];
      if (node.op->alias_of >= 0) continue;
      if (const int64_t gradient = gradient_before(node); gradient >= 0) {
        join(program_.nodes[static_cast<size_t>(gradient)], node);
        touched_[buffer(node.out[0])] = static_cast<int64_t>(i);
        writer_[buffer(node.out[0])] = gradient;
        dropped_[i] = true;
        continue;
      }
      for (const ValueId value : node.in)
        if (value != kNoValue) touched_[buffer(value)] = static_cast<int64_t>(i);
      for (const ValueId value : node.out)
        touched_[buffer(value)] = writer_[buffer(value)] = static_cast<int64_t>(i);
    }
    size_t i = 0;
    std::erase_if(program_.nodes, [&](const ProgramNode&) { return dropped_[i++]; });
  }

 private:
  size_t buffer(ValueId value) const { return static_cast<size_t>(program_.buffer(value)); }

  // The call whose result `sum` adds up over rows, where the two can be one; or -1.
  int64_t gradient_before(const ProgramNode& sum) const {
    if (std::string_view(sum.op->name) != "sum") return -1;
    const TensorMeta& rows = program_.meta(sum.in[0]);
    const int64_t at = writer_[buffer(sum.in[0])];
    if (at < 0 || dropped_[static_cast<size_t>(at)] || rows.sizes.size() != 2 || !is_plain(rows) ||
        !(sum.attrs.list(0) == Shape{0}) || sum.attrs.flag(1) || rows.sizes[1] < kLeastColumns ||
        rows.sizes[1] % cpu::kBiasGradientColumns != 0)
      return -1;
    const ProgramNode& gradient = program_.nodes[static_cast<size_t>(at)];
    if (activation_of(*gradient.op) == cpu::Activation::kNone || gradient.out.size() != 1)
      return -1;
    const TensorMeta& out = program_.meta(gradient.out[0]);
    const bool whole = is_plain(out) && out.offset == rows.offset && !out.sizes.empty() &&
                       out.sizes.numel() == rows.sizes.numel() && out.sizes.back() == rows.sizes[1];
    const bool plain = std::all_of(gradient.in.begin(), gradient.in.end(), [&](ValueId value) {
      return is_plain(program_.meta(value)) && program_.meta(value).sizes == out.sizes &&
             buffer(value) != buffer(sum.out[0]);
    });
    const bool apart = buffer(gradient.in[1]) != buffer(gradient.out[0]) &&
                       buffer(sum.out[0]) != buffer(gradient.out[0]);
    return whole && plain && apart && is_plain(program_.meta(sum.out[0])) &&
                   touched_[buffer(sum.out[0])] < at
               ? at
               : -1;
  }

  void join(ProgramNode& gradient, const ProgramNode& sum) {
    gradient.attrs = Attrs().add(static_cast<int64_t>(activation_of(*gradient.op)));
    gradient.op = &kBiasGradient;
    gradient.out.push_back(sum.out[0]);
  }

  Program& program_;
  std::vector<int64_t> writer_, touched_;  // by buffer: the last node that did, or -1
  std::vector<bool> dropped_;              // by node
};

}  // namespace

void fuse_bias_gradients(Program& program) { Fusing(program).run(); }

}  // namespace oneagent
