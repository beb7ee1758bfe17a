// A node whose gradient is a function of the user's: what torch::autograd::Function records.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// Gradients of the results (undefined where nothing depends on one) -> gradients of the operands
// (undefined: none).
using CustomBackward = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// Makes `outputs` depend on `inputs` through `backward`. `name` is what errors and
// grad_fn()->name() say. `release` runs when a backward pass without retain_graph is done with the
// node.
GradNode* attach_custom(std::string name, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& outputs, CustomBackward backward,
                        std::function<void()> release = nullptr);

}  // namespace oneagent
