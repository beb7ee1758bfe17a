#include "core/torch/recompute.h"

#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/custom.h"
#include "core/graph/loss_scale.h"
#include "core/graph/recompute.h"

namespace oneagent::nn {
namespace {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensors(const Tensors&)>;

// Leaves with the memory of the inputs, for a graph of their own.
Tensors leaves_of(const Tensors& inputs) {
  Tensors leaves;
  for (const Tensor& input : inputs) {
    leaves.push_back(input.defined() ? input.detach() : Tensor());
    if (input.defined() && input.requires_grad()) leaves.back().requires_grad_();
  }
  return leaves;
}

Tensors gradients(const Function& function, const Tensors& inputs, const RngState& draws,
                  const Tensors& result_gradients) {
  OA_REQUIRE(!context().grad_mode,
             "checkpoint: gradients of gradients are not recorded through it; call the function "
             "itself where create_graph is needed");
  const EnableGradGuard recorded;
  const Tensors leaves = leaves_of(inputs);
  const RngState now = default_generator().state();
  default_generator().set_state(draws);
  Tensors results;
  {
    const RecomputeScope again;
    results = function(leaves);
  }
  default_generator().set_state(now);
  Tensors roots, seeds;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!result_gradients[i].defined() || !results[i].requires_grad()) continue;
    roots.push_back(results[i]);
    seeds.push_back(result_gradients[i]);
  }
  if (!roots.empty()) autograd::backward(roots, seeds);
  // What goes on to earlier calls of a pass with a scaled loss is scaled as what came.
  const LossScale* scale = LossScale::current();
  const bool scaled = scale != nullptr && scale->running();
  Tensors out;
  for (const Tensor& leaf : leaves) {
    out.push_back(leaf.defined() ? leaf.grad() : Tensor());
    if (scaled && out.back().defined()) out.back() = out.back().mul(scale->factor());
  }
  return out;
}

}  // namespace

Tensors checkpoint(Function function, const Tensors& inputs) {
  if (!context().grad_mode) return function(inputs);
  const RngState draws = default_generator().state();
  Tensors results;
  {
    const NoGradGuard dropped;
    for (const Tensor& result : function(inputs)) results.push_back(result.detach());
  }
  attach_custom("Checkpoint", inputs, results,
                [function = std::move(function), inputs, draws](const Tensors& seeds) {
                  return gradients(function, inputs, draws, seeds);
                });
  return results;
}

Tensor checkpoint(std::function<Tensor(const Tensor&)> function, const Tensor& input) {
  return checkpoint(Function([function = std::move(function)](const Tensors& in) {
                      return Tensors{function(in[0])};
                    }),
                    Tensors{input})[0];
}

}  // namespace oneagent::nn
