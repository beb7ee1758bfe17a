// New tensors. Without a dtype: the default floating type, or for full() and arange() with integers
// int64.
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace oneagent {

Tensor zeros(const Shape& sizes, const TensorOptions& options = {});
Tensor ones(const Shape& sizes, const TensorOptions& options = {});
Tensor full(const Shape& sizes, Scalar value, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& like);
Tensor ones_like(const Tensor& like);
Tensor full_like(const Tensor& like, Scalar value);
Tensor arange(Scalar end, const TensorOptions& options = {});
Tensor arange(Scalar start, Scalar end, const TensorOptions& options = {});
Tensor arange(Scalar start, Scalar end, Scalar step, const TensorOptions& options = {});
Tensor eye(int64_t n, const TensorOptions& options = {});

// Copies of host values: a list (1-d) or one number (0-d).
Tensor tensor(std::initializer_list<double> values, const TensorOptions& options = {});
Tensor tensor(const std::vector<float>& values, const TensorOptions& options = {});
Tensor tensor(const std::vector<double>& values,
              const TensorOptions& options = {});  // default floating type unless options say more
Tensor tensor(const std::vector<int64_t>& values, const TensorOptions& options = {});
Tensor tensor(const std::vector<int32_t>& values, const TensorOptions& options = {});
Tensor tensor(Scalar value, const TensorOptions& options = {});

// A contiguous copy of the elements as T, in row-major order.
template <class T>
std::vector<T> to_vector(const Tensor& x) {
  const Tensor same = x.detach().to(dtype_of<T>).contiguous();
  return std::vector<T>(same.data_ptr<T>(), same.data_ptr<T>() + same.numel());
}

}  // namespace oneagent
