#include "core/graph/node.h"

#include <algorithm>

#include "core/graph/tape.h"

namespace oneagent::autograd {
namespace {

// Ops of ours that PyTorch has under another name.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"add_number", "add"},
                                                                    {"mul_number", "mul"},
                                                                    {"div_number", "div"},
                                                                    {"pow_number", "pow"},
                                                                    {"reverse_sub_number", "rsub"},
                                                                    {"linear", "addmm"},
                                                                    {"to", "to_copy"},
                                                                    {"expand", "expand"},
                                                                    {"copy", "copy_slices"},
                                                                    {"part_of", "as_strided"},
                                                                    {"replace_part", "copy_slices"},
                                                                    {"cross_entropy", "nll_loss"},
                                                                    {"reverse_div_number", "div"}};

}  // namespace

std::string backward_name(std::string_view op) {
  for (const auto& [ours, theirs] : kNames)
    if (op == ours) op = theirs;
  if (op == "copy_slices") return "CopySlices";
  std::string out;
  bool upper = true;
  for (const char c : op) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = false;
  }
  return out + "Backward0";
}

std::string Node::name() const {
  if (leaf_) return "torch::autograd::AccumulateGrad";
  const auto& node = static_cast<const TapeNode&>(*recorded_);
  return node.title.empty() ? backward_name(node.op.name) : node.title;
}

std::vector<Edge> Node::next_edges() const {
  std::vector<Edge> out;
  if (leaf_) return out;
  for (const oneagent::Edge& edge : static_cast<const TapeNode&>(*recorded_).edges) {
    Edge& next = out.emplace_back();
    if (edge.node)
      next = {std::make_shared<Node>(Ref<GradNode>(edge.node.get())), edge.index};
    else if (edge.leaf)
      next = {std::make_shared<Node>(edge.leaf), 0};
  }
  return out;
}

size_t Node::num_inputs() const {
  return leaf_ ? 1 : static_cast<const TapeNode&>(*recorded_).output_count;
}
size_t Node::num_outputs() const {
  return leaf_ ? 0 : static_cast<const TapeNode&>(*recorded_).edges.size();
}
uint64_t Node::sequence_nr() const {
  return leaf_ ? UINT64_MAX : static_cast<const TapeNode&>(*recorded_).sequence;
}

}  // namespace oneagent::autograd
