// What libtorch has as functions beside methods that change their tensor: a copy is changed.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

Tensor uniform(const Tensor& input, double from = 0, double to = 1,
               std::optional<Generator> generator = std::nullopt);
Tensor exponential(const Tensor& input, double lambd = 1,
                   std::optional<Generator> generator = std::nullopt);
Tensor cauchy(const Tensor& input, double median = 0, double sigma = 1,
              std::optional<Generator> generator = std::nullopt);
Tensor log_normal(const Tensor& input, double mean = 1, double std = 2,
                  std::optional<Generator> generator = std::nullopt);
Tensor geometric(const Tensor& input, double p, std::optional<Generator> generator = std::nullopt);
Tensor normal_functional(const Tensor& input, double mean = 0, double std = 1,
                         std::optional<Generator> generator = std::nullopt);
Tensor random(const Tensor& input, std::optional<Generator> generator = std::nullopt);
Tensor random(const Tensor& input, int64_t to, std::optional<Generator> generator = std::nullopt);
Tensor random(const Tensor& input, int64_t from, std::optional<int64_t> to,
              std::optional<Generator> generator = std::nullopt);
Tensor bernoulli(const Tensor& input, const Tensor& p,
                 std::optional<Generator> generator = std::nullopt);

Tensor copy(const Tensor& input, const Tensor& source, bool non_blocking = false);
Tensor fill(const Tensor& input, const Tensor& value);  // of one element
Tensor zero(const Tensor& input);
Tensor detach(const Tensor& input);
Tensor& detach_(Tensor& input);
Tensor resize(const Tensor& input, const Shape& size,
              std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor resize_as(const Tensor& input, const Tensor& like,
                 std::optional<MemoryFormat> memory_format = std::nullopt);
const Tensor& resize_as_(const Tensor& input, const Tensor& like,
                         std::optional<MemoryFormat> memory_format = std::nullopt);

// One 1-d tensor of all elements, and back: views of `flat` shaped like each of `tensors`.
Tensor flatten_dense_tensors(const std::vector<Tensor>& tensors);
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat, const std::vector<Tensor>& tensors);

// Sequences of shape [length, ...] under one another: [batch, longest, ...] if batch_first, else
// [longest, batch, ...]; the rest is padding_value.
Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first = false,
                    double padding_value = 0);

// The p-norm over all dimensions but `dim`, which is kept; dim -1: over all of them.
Tensor norm_except_dim(const Tensor& v, int64_t pow = 2, int64_t dim = 0);

// A Kaiser window of I0(beta sqrt(1 - x^2)) / I0(beta), as in numpy.kaiser; the periodic one is
// that of window_length + 1 without its last element.
Tensor kaiser_window(int64_t window_length, const TensorOptions& options = {});
Tensor kaiser_window(int64_t window_length, bool periodic, const TensorOptions& options = {});
Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                     const TensorOptions& options = {});

Tensor linalg_diagonal(const Tensor& A, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);

}  // namespace oneagent
