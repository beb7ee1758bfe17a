#include "core/graph/node.h"

#include <algorithm>
#include <cmath>

#include "core/graph/tape.h"

namespace oneagent::autograd {
namespace {

// Ops of ours that PyTorch has under another name, or as another of its overloads.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"add_number", "AddBackward1"},
    {"mul_number", "MulBackward1"},
    {"div_number", "DivBackward1"},
    {"reverse_div_number", "MulBackward1"},
    {"reverse_sub_number", "SubBackward0"},
    {"pow_number", "PowBackward0"},
    {"square", "PowBackward0"},
    {"pow", "PowBackward1"},
    {"number_pow", "PowBackward2"},
    {"max_dim", "MaxBackward0"},
    {"min_dim", "MinBackward0"},
    {"gelu_erf", "GeluBackward0"},
    {"gelu_tanh", "GeluBackward0"},
    {"linear", "AddmmBackward0"},
    {"to", "ToCopyBackward0"},
    {"copy", "torch::autograd::CopyBackwards"},
    {"part_of", "AsStridedBackward0"},
    {"replace_part", "torch::autograd::CopySlices"},
    {"clamp", "ClampBackward1"},
    {"lerp_number", "LerpBackward0"},
    {"elu_scaled", "EluBackward0"},
    {"softplus_beta", "SoftplusBackward0"},
    {"conv1d", "ConvolutionBackward0"},
    {"conv2d", "ConvolutionBackward0"},
    {"conv3d", "ConvolutionBackward0"},
    {"cross_entropy_loss", "NllLossBackward0"},
    {"native_dropout", "MulBackward0"}};

// Reductions whose number says whether they are over all dimensions; attribute 0 has the list.
constexpr std::string_view kReductions[] = {"sum", "mean", "prod", "vector_norm"};

}  // namespace

std::string backward_name(std::string_view op) {
  for (const auto& [ours, theirs] : kNames)
    if (op == ours) return std::string(theirs);
  if (op == "vector_norm") op = "norm";
  std::string out;
  bool upper = true;
  for (const char c : op) {
    if (c == '_') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = std::isdigit(static_cast<unsigned char>(c)) != 0;  // MaxPool2D
  }
  return out + "Backward0";
}

std::string name_of_node(const TapeNode& node) {
  if (!node.title.empty()) return node.title;
  std::string name = backward_name(node.op.name);
  const std::string_view op = node.op.name;
  if (std::find(std::begin(kReductions), std::end(kReductions), op) != std::end(kReductions)) {
    const size_t list = op == "vector_norm" ? 1 : 0;
    if (node.attrs.list(list).size() < node.edges[0].sizes.size()) name.back() = '1';
  }
  if (op == "add_number" && std::signbit(node.attrs.number(0))) return "SubBackward1";
  const bool highest = op == "amax";
  if ((highest || op == "amin") && node.attrs.list(0).size() == node.edges[0].sizes.size())
    return highest ? "MaxBackward1" : "MinBackward1";
  return name;
}

std::string Node::name() const {
  if (leaf_) return "torch::autograd::AccumulateGrad";
  return name_of_node(static_cast<const TapeNode&>(*recorded_));
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

Edge impl::gradient_edge(const Tensor& x) {
  if (auto node = x.grad_fn()) return Edge(std::move(node), static_cast<uint32_t>(x.output_nr()));
  return x.requires_grad() ? Edge(std::make_shared<Node>(x.ref()), 0) : Edge();
}

}  // namespace oneagent::autograd
