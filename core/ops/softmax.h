// Softmax and its logarithm along one dimension, wherever it lies, without a copy. With a dtype the
// operand is converted first.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt);
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype = std::nullopt);
Tensor special_softmax(const Tensor& input, int64_t dim, std::optional<DType> dtype = std::nullopt);
Tensor special_log_softmax(const Tensor& input, int64_t dim,
                           std::optional<DType> dtype = std::nullopt);
Tensor softmin(const Tensor& self, int64_t dim,
               std::optional<DType> dtype = std::nullopt);  // softmax(-self)

Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float);
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float);
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                              DType input_dtype);
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                  DType input_dtype);

}  // namespace oneagent
