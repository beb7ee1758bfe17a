// Activation checkpointing (Chen et al. 2016, arXiv 1604.06174): what a function computes inside is
// not kept for backward but computed again there. Costs one more forward pass, saves the memory of
// the activations; eagerly and in graphs.
#pragma once

#include <functional>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn {

// function(inputs), to be computed twice: it must give the same results both times. Random numbers
// of the default generator are repeated. Gradients reach the inputs and the parameters that the
// function uses, as without. Error: a second backward pass with create_graph.
std::vector<Tensor> checkpoint(
    std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function,
    const std::vector<Tensor>& inputs);
Tensor checkpoint(std::function<Tensor(const Tensor&)> function, const Tensor& input);

}  // namespace oneagent::nn
