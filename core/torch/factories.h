// The creating functions with type, layout, device and pinning one by one instead of as
// TensorOptions, as at:: has them too: at::zeros({2}, at::kFloat, at::kStrided, at::kCPU, false).
#pragma once

#include <optional>

#include "core/ops/ops.h"

namespace oneagent {

inline TensorOptions options_of(std::optional<DType> dtype, std::optional<Layout> layout,
                                std::optional<Device> device, std::optional<bool> pin_memory) {
  TensorOptions options;
  if (dtype) options = options.dtype(*dtype);
  if (layout) options = options.layout(*layout);
  if (device) options = options.device(*device);
  if (pin_memory) options = options.pinned_memory(*pin_memory);
  return options;
}

#define OA_EACH_OPTION                                                                    \
  std::optional<DType> dtype, std::optional<Layout> layout, std::optional<Device> device, \
      std::optional<bool> pin_memory
#define OA_GIVEN_OPTIONS options_of(dtype, layout, device, pin_memory)

inline Tensor arange(Scalar end, OA_EACH_OPTION) { return arange(end, OA_GIVEN_OPTIONS); }
inline Tensor arange(Scalar start, Scalar end, OA_EACH_OPTION) {
  return arange(start, end, OA_GIVEN_OPTIONS);
}
inline Tensor arange(Scalar start, Scalar end, Scalar step, OA_EACH_OPTION) {
  return arange(start, end, step, OA_GIVEN_OPTIONS);
}
inline Tensor bartlett_window(int64_t window_length, OA_EACH_OPTION) {
  return bartlett_window(window_length, OA_GIVEN_OPTIONS);
}
inline Tensor bartlett_window(int64_t window_length, bool periodic, OA_EACH_OPTION) {
  return bartlett_window(window_length, periodic, OA_GIVEN_OPTIONS);
}
inline Tensor blackman_window(int64_t window_length, OA_EACH_OPTION) {
  return blackman_window(window_length, OA_GIVEN_OPTIONS);
}
inline Tensor blackman_window(int64_t window_length, bool periodic, OA_EACH_OPTION) {
  return blackman_window(window_length, periodic, OA_GIVEN_OPTIONS);
}
inline Tensor empty(const Shape& size, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return empty(size, OA_GIVEN_OPTIONS, format);
}
inline Tensor empty_like(const Tensor& self, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return empty_like(self, OA_GIVEN_OPTIONS, format);
}
inline Tensor empty_strided(const Shape& size, const Shape& stride, OA_EACH_OPTION) {
  return empty_strided(size, stride, OA_GIVEN_OPTIONS);
}
inline Tensor eye(int64_t n, OA_EACH_OPTION) { return eye(n, OA_GIVEN_OPTIONS); }
inline Tensor eye(int64_t n, int64_t m, OA_EACH_OPTION) { return eye(n, m, OA_GIVEN_OPTIONS); }
inline Tensor fft_fftfreq(int64_t n, double d, OA_EACH_OPTION) {
  return fft_fftfreq(n, d, OA_GIVEN_OPTIONS);
}
inline Tensor fft_rfftfreq(int64_t n, double d, OA_EACH_OPTION) {
  return fft_rfftfreq(n, d, OA_GIVEN_OPTIONS);
}
inline Tensor full(const Shape& size, Scalar fill_value, OA_EACH_OPTION) {
  return full(size, fill_value, OA_GIVEN_OPTIONS);
}
inline Tensor full_like(const Tensor& self, Scalar fill_value, OA_EACH_OPTION,
                        std::optional<MemoryFormat> format) {
  return full_like(self, fill_value, OA_GIVEN_OPTIONS, format);
}
inline Tensor hamming_window(int64_t window_length, OA_EACH_OPTION) {
  return hamming_window(window_length, OA_GIVEN_OPTIONS);
}
inline Tensor hamming_window(int64_t window_length, bool periodic, OA_EACH_OPTION) {
  return hamming_window(window_length, periodic, OA_GIVEN_OPTIONS);
}
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha, OA_EACH_OPTION) {
  return hamming_window(window_length, periodic, alpha, OA_GIVEN_OPTIONS);
}
inline Tensor hamming_window(int64_t window_length, bool periodic, double alpha, double beta,
                             OA_EACH_OPTION) {
  return hamming_window(window_length, periodic, alpha, beta, OA_GIVEN_OPTIONS);
}
inline Tensor hann_window(int64_t window_length, OA_EACH_OPTION) {
  return hann_window(window_length, OA_GIVEN_OPTIONS);
}
inline Tensor hann_window(int64_t window_length, bool periodic, OA_EACH_OPTION) {
  return hann_window(window_length, periodic, OA_GIVEN_OPTIONS);
}
inline Tensor kaiser_window(int64_t window_length, OA_EACH_OPTION) {
  return kaiser_window(window_length, OA_GIVEN_OPTIONS);
}
inline Tensor kaiser_window(int64_t window_length, bool periodic, OA_EACH_OPTION) {
  return kaiser_window(window_length, periodic, OA_GIVEN_OPTIONS);
}
inline Tensor kaiser_window(int64_t window_length, bool periodic, double beta, OA_EACH_OPTION) {
  return kaiser_window(window_length, periodic, beta, OA_GIVEN_OPTIONS);
}
inline Tensor linspace(Scalar start, Scalar end, int64_t steps, OA_EACH_OPTION) {
  return linspace(start, end, steps, OA_GIVEN_OPTIONS);
}
inline Tensor logspace(Scalar start, Scalar end, int64_t steps, double base, OA_EACH_OPTION) {
  return logspace(start, end, steps, base, OA_GIVEN_OPTIONS);
}
inline Tensor normal(double mean, double std, const Shape& size, std::optional<Generator> generator,
                     OA_EACH_OPTION) {
  return normal(mean, std, size, generator, OA_GIVEN_OPTIONS);
}
inline Tensor ones(const Shape& size, OA_EACH_OPTION) { return ones(size, OA_GIVEN_OPTIONS); }
inline Tensor ones_like(const Tensor& self, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return ones_like(self, OA_GIVEN_OPTIONS, format);
}
inline Tensor rand(const Shape& size, OA_EACH_OPTION) { return rand(size, OA_GIVEN_OPTIONS); }
inline Tensor rand(const Shape& size, std::optional<Generator> generator, OA_EACH_OPTION) {
  return rand(size, generator, OA_GIVEN_OPTIONS);
}
inline Tensor rand_like(const Tensor& self, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return rand_like(self, OA_GIVEN_OPTIONS, format);
}
inline Tensor randint(int64_t high, const Shape& size, OA_EACH_OPTION) {
  return randint(high, size, OA_GIVEN_OPTIONS);
}
inline Tensor randint(int64_t high, const Shape& size, std::optional<Generator> generator,
                      OA_EACH_OPTION) {
  return randint(high, size, generator, OA_GIVEN_OPTIONS);
}
inline Tensor randint(int64_t low, int64_t high, const Shape& size, OA_EACH_OPTION) {
  return randint(low, high, size, OA_GIVEN_OPTIONS);
}
inline Tensor randint(int64_t low, int64_t high, const Shape& size,
                      std::optional<Generator> generator, OA_EACH_OPTION) {
  return randint(low, high, size, generator, OA_GIVEN_OPTIONS);
}
inline Tensor randint_like(const Tensor& self, int64_t high, OA_EACH_OPTION,
                           std::optional<MemoryFormat> format) {
  return randint_like(self, high, OA_GIVEN_OPTIONS, format);
}
inline Tensor randint_like(const Tensor& self, int64_t low, int64_t high, OA_EACH_OPTION,
                           std::optional<MemoryFormat> format) {
  return randint_like(self, low, high, OA_GIVEN_OPTIONS, format);
}
inline Tensor randn(const Shape& size, OA_EACH_OPTION) { return randn(size, OA_GIVEN_OPTIONS); }
inline Tensor randn(const Shape& size, std::optional<Generator> generator, OA_EACH_OPTION) {
  return randn(size, generator, OA_GIVEN_OPTIONS);
}
inline Tensor randn_like(const Tensor& self, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return randn_like(self, OA_GIVEN_OPTIONS, format);
}
inline Tensor randperm(int64_t n, OA_EACH_OPTION) { return randperm(n, OA_GIVEN_OPTIONS); }
inline Tensor randperm(int64_t n, std::optional<Generator> generator, OA_EACH_OPTION) {
  return randperm(n, generator, OA_GIVEN_OPTIONS);
}
inline Tensor range(Scalar start, Scalar end, OA_EACH_OPTION) {
  return range(start, end, OA_GIVEN_OPTIONS);
}
inline Tensor range(Scalar start, Scalar end, Scalar step, OA_EACH_OPTION) {
  return range(start, end, step, OA_GIVEN_OPTIONS);
}
inline Tensor scalar_tensor(Scalar value, OA_EACH_OPTION) {
  return scalar_tensor(value, OA_GIVEN_OPTIONS);
}
inline Tensor tril_indices(int64_t row, int64_t col, int64_t offset, OA_EACH_OPTION) {
  return tril_indices(row, col, offset, OA_GIVEN_OPTIONS);
}
inline Tensor triu_indices(int64_t row, int64_t col, int64_t offset, OA_EACH_OPTION) {
  return triu_indices(row, col, offset, OA_GIVEN_OPTIONS);
}
inline Tensor zeros(const Shape& size, OA_EACH_OPTION) { return zeros(size, OA_GIVEN_OPTIONS); }
inline Tensor zeros_like(const Tensor& self, OA_EACH_OPTION, std::optional<MemoryFormat> format) {
  return zeros_like(self, OA_GIVEN_OPTIONS, format);
}

#undef OA_EACH_OPTION
#undef OA_GIVEN_OPTIONS

}  // namespace oneagent
