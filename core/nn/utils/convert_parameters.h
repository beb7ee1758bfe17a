// Parameters as one vector, and back.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn::utils {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters);
// Each parameter becomes a view of its part of the vector.
void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters);

}  // namespace oneagent::nn::utils
