// Backward through the tape. Nodes run in reverse order of recording; gradients of one value are
// summed in that order, so that results repeat bit for bit.
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace oneagent::autograd {

// Adds d(outputs)/d(leaf) to the gradient of every leaf. An undefined gradient stands for one (of a
// single-element output).
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients = {},
              bool retain_graph = false, bool create_graph = false);

// d(outputs)/d(inputs) without touching any leaf's grad. An input that the outputs do not depend
// on: an Error, or undefined with allow_unused.
std::vector<Tensor> grad(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& gradients = {}, bool retain_graph = false,
                         bool create_graph = false, bool allow_unused = false);

}  // namespace oneagent::autograd
