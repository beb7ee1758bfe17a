#include "core/nn/utils/convert_parameters.h"

#include "core/ops/ops.h"

namespace oneagent::nn::utils {

Tensor parameters_to_vector(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> parts;
  parts.reserve(parameters.size());
  for (const Tensor& parameter : parameters) parts.push_back(parameter.view({-1}));
  return cat(parts);
}

void vector_to_parameters(const Tensor& vec, const std::vector<Tensor>& parameters) {
  int64_t at = 0;
  for (const Tensor& parameter : parameters) {
    const int64_t count = parameter.numel();
    parameter.set_data(vec.detach().slice(0, at, at + count).view(parameter.sizes()));
    at += count;
  }
}

}  // namespace oneagent::nn::utils
