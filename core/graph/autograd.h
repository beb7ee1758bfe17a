// Backward through the tape. Nodes run in reverse order of recording; gradients of one value are
// summed in that order, so that results repeat bit for bit.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::autograd {

using Variable = Tensor;
using variable_list = std::vector<Tensor>;
using tensor_list = std::vector<Tensor>;

// Adds d(outputs)/d(leaf) to the gradient of every leaf, or of those in `inputs` if there are any.
// An undefined gradient stands for one (of a single-element output). retain_graph: create_graph
// when it is not given.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});

// d(outputs)/d(inputs) without touching any leaf's grad. An input that the outputs do not depend
// on: an Error, or undefined with allow_unused.
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {},
                   std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                   bool allow_unused = false);

// A handle of its own on the data, a leaf.
inline Variable make_variable(const Tensor& data, bool requires_grad = false, bool = true) {
  if (!data.defined()) return {};
  return requires_grad ? data.detach().requires_grad_() : data.detach();
}

}  // namespace oneagent::autograd
