#include "core/ops/op_composition.h"

#include "core/graph/autograd.h"

namespace oneagent {
namespace {

void same_infer(Metas in, const Attrs&, Inferred& out) { out.add() = *in[0]; }

// The operand as a node of its own, so that grad() can stop there.
constinit const Op kSame = {
    .name = "same",
    .infer = same_infer,
    .rule = {.factors = "...->...", .linear = 1},
    .alias_of = 0,
    .vjp = [](VjpCall& call) { call.set(0, call.grad()); },
};

Tensor fresh_node(const Tensor& x) {
  if (x.requires_grad()) return call_op(kSame, {&x});
  const Tensor leaf = x.detach().requires_grad_();
  return call_op(kSame, {&leaf});
}

struct Graph {
  std::vector<Tensor> outputs, gradients;
  bool empty() const { return outputs.empty(); }
  void add(const Tensor& output, const Tensor& gradient) {
    if (!gradient.defined() || !output.defined() || !output.requires_grad()) return;
    outputs.push_back(output);
    gradients.push_back(gradient);
  }
};

}  // namespace

void vjp_by_composition(VjpCall& call, const Composition& same) {
  const bool keep = context().grad_mode;
  std::vector<Tensor> inputs, wanted;
  Graph graph;
  {
    const GradModeGuard on(true);
    for (size_t i = 0; i < call.input_count(); ++i) {
      inputs.push_back(call.input(i));
      if (!call.needs(i)) continue;
      inputs.back() = fresh_node(inputs.back());
      wanted.push_back(inputs.back());
    }
    const std::vector<Tensor> results = same(inputs);
    for (size_t r = 0; r < results.size(); ++r) graph.add(results[r], call.grad(r));
  }
  if (graph.empty()) return;
  const auto found = autograd::grad(graph.outputs, wanted, graph.gradients, true, keep, true);
  for (size_t i = 0, k = 0; i < inputs.size(); ++i) {
    if (!call.needs(i)) continue;
    if (found[k].defined()) call.set(i, found[k]);
    ++k;
  }
}

std::vector<Tensor> gradients_of(const Composition& same, const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& gradients) {
  const GradModeGuard on(true);
  std::vector<Tensor> fresh, wanted;
  for (const Tensor& input : inputs) {
    fresh.push_back(input);
    if (!input.defined() || !has_gradient(input.dtype())) continue;
    fresh.back() = fresh_node(input);
    wanted.push_back(fresh.back());
  }
  Graph graph;
  const std::vector<Tensor> results = same(fresh);
  for (size_t r = 0; r < results.size(); ++r)
    graph.add(results[r], r < gradients.size() ? gradients[r] : Tensor());
  std::vector<Tensor> out(inputs.size());
  if (graph.empty()) return out;
  const auto found = autograd::grad(graph.outputs, wanted, graph.gradients, true, true, true);
  for (size_t i = 0, k = 0; i < inputs.size(); ++i)
    if (fresh[i].defined() && has_gradient(fresh[i].dtype())) out[i] = found[k++];
  return out;
}

}  // namespace oneagent
