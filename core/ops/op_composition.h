// Gradients of fused ops from a composition of other ops that computes the same: how the second
// derivative of a record is written whose first one has a kernel of its own.
#pragma once

#include <functional>
#include <vector>

#include "core/ops/op.h"

namespace oneagent {

// Results of an op as a differentiable function of its inputs; absent inputs are undefined.
using Composition = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

// Sets the gradients of all inputs that need one. The op saves all its inputs; `same` must not look
// at its results.
void vjp_by_composition(VjpCall& call, const Composition& same);

// sum_r <gradients[r], same(inputs)[r]> differentiated by every floating input, itself
// differentiable: the composition of a backward op. Undefined where nothing depends on an input.
std::vector<Tensor> gradients_of(const Composition& same, const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& gradients);

}  // namespace oneagent
