// Random tensors. Each draw reserves counter blocks of the generator, one per element; without a
// generator the thread's default one is used (manual_seed). Same generator state, same numbers, for
// any number of threads.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor rand(const Shape& sizes, Generator& generator, const TensorOptions& options = {});  // [0, 1)
Tensor rand(const Shape& sizes, const TensorOptions& options = {});
Tensor randn(const Shape& sizes, Generator& generator, const TensorOptions& options = {});
Tensor randn(const Shape& sizes, const TensorOptions& options = {});
Tensor randint(int64_t low, int64_t high, const Shape& sizes, Generator& generator,
               const TensorOptions& options = kInt64);
Tensor randint(int64_t low, int64_t high, const Shape& sizes,
               const TensorOptions& options = kInt64);
Tensor randperm(int64_t n, Generator& generator);
Tensor bernoulli(const Tensor& probability, Generator& generator);

// Indices drawn with replacement from each row of non-negative weights: [rows, n] -> int64 [rows,
// samples]; [n] -> [samples].
Tensor multinomial(const Tensor& weights, int64_t samples, Generator& generator);

const Tensor& uniform_(const Tensor& self, double low, double high, Generator& generator);
const Tensor& normal_(const Tensor& self, double mean, double deviation, Generator& generator);

}  // namespace oneagent
