// New tensors. Without a dtype: the default floating type, or for full() and arange() with integers
// int64. The *_like and new_* forms take what the options leave open from the tensor.
#pragma once

#include <vector>

#include "core/ops/api.h"
#include "core/ops/tensor_data.h"

namespace oneagent {

Tensor empty(const Shape& size, const TensorOptions& options = {},
             std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor empty_strided(const Shape& size, const Shape& stride, const TensorOptions& options = {});
Tensor zeros(const Shape& size, const TensorOptions& options = {});
Tensor ones(const Shape& size, const TensorOptions& options = {});
Tensor full(const Shape& size, Scalar fill_value, const TensorOptions& options = {});
Tensor empty_like(const Tensor& like, const TensorOptions& options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor zeros_like(const Tensor& like, const TensorOptions& options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor ones_like(const Tensor& like, const TensorOptions& options = {},
                 std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor full_like(const Tensor& like, Scalar fill_value, const TensorOptions& options = {},
                 std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor new_empty(const Tensor& self, const Shape& size, const TensorOptions& options = {});
Tensor new_empty_strided(const Tensor& self, const Shape& size, const Shape& stride,
                         const TensorOptions& options = {});
Tensor new_zeros(const Tensor& self, const Shape& size, const TensorOptions& options = {});
Tensor new_ones(const Tensor& self, const Shape& size, const TensorOptions& options = {});
Tensor new_full(const Tensor& self, const Shape& size, Scalar fill_value,
                const TensorOptions& options = {});
Tensor scalar_tensor(Scalar value, const TensorOptions& options = {});

Tensor arange(Scalar end, const TensorOptions& options = {});
Tensor arange(Scalar start, Scalar end, const TensorOptions& options = {});
Tensor arange(Scalar start, Scalar end, Scalar step, const TensorOptions& options = {});
Tensor range(Scalar start, Scalar end, const TensorOptions& options = {});  // with the end
Tensor range(Scalar start, Scalar end, Scalar step, const TensorOptions& options = {});
Tensor linspace(Scalar start, Scalar end, int64_t steps, const TensorOptions& options = {});
Tensor logspace(Scalar start, Scalar end, int64_t steps, double base = 10.0,
                const TensorOptions& options = {});
Tensor eye(int64_t n, const TensorOptions& options = {});
Tensor eye(int64_t n, int64_t m, const TensorOptions& options = {});

// Windows of signal processing; periodic ones are one point longer and lose the last.
Tensor bartlett_window(int64_t window_length, const TensorOptions& options = {});
Tensor bartlett_window(int64_t window_length, bool periodic, const TensorOptions& options = {});
Tensor blackman_window(int64_t window_length, const TensorOptions& options = {});
Tensor blackman_window(int64_t window_length, bool periodic, const TensorOptions& options = {});
Tensor hann_window(int64_t window_length, const TensorOptions& options = {});
Tensor hann_window(int64_t window_length, bool periodic, const TensorOptions& options = {});
Tensor hamming_window(int64_t window_length, const TensorOptions& options = {});
Tensor hamming_window(int64_t window_length, bool periodic, const TensorOptions& options = {});
Tensor hamming_window(int64_t window_length, bool periodic, double alpha,
                      const TensorOptions& options = {});
Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                      const TensorOptions& options = {});

Tensor whole_values(const Tensor& x);  // core/tensor/global_parts.h

// A contiguous copy of the elements as T, in row-major order.
template <class T>
std::vector<T> to_vector(const Tensor& x) {
  const Tensor same = whole_values(x.detach()).to(dtype_of<T>).contiguous();
  return std::vector<T>(same.data_ptr<T>(), same.data_ptr<T>() + same.numel());
}

}  // namespace oneagent
