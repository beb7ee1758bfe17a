// Gradient clipping.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn::utils {

// Scales all gradients by max_norm / (norm + 1e-6) when their joint Euclidean norm is above
// max_norm; returns the norm before. A max_norm of 0 only measures, and a norm that is not finite
// leaves the gradients as they are.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm);
double grad_norm(const std::vector<Tensor>& parameters);
void clip_grad_value_(const std::vector<Tensor>& parameters, double limit);

}  // namespace oneagent::nn::utils
