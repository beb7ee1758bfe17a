// Random tensors. Each draw reserves counter blocks of the generator, one per element; without a
// generator the default one is used (manual_seed). Same generator state, same numbers, for any
// number of threads. The numbers are not PyTorch's: it uses other generators.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor rand(const Shape& size, const TensorOptions& options = {});  // [0, 1)
Tensor rand(const Shape& size, std::optional<Generator> generator,
            const TensorOptions& options = {});
Tensor rand_like(const Tensor& like, const TensorOptions& options = {},
                 std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor randn(const Shape& size, const TensorOptions& options = {});  // mean 0, deviation 1
Tensor randn(const Shape& size, std::optional<Generator> generator,
             const TensorOptions& options = {});
Tensor randn_like(const Tensor& like, const TensorOptions& options = {},
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor randint(int64_t high, const Shape& size, const TensorOptions& options = kInt64);
Tensor randint(int64_t high, const Shape& size, std::optional<Generator> generator,
               const TensorOptions& options = kInt64);
Tensor randint(int64_t low, int64_t high, const Shape& size, const TensorOptions& options = kInt64);
Tensor randint(int64_t low, int64_t high, const Shape& size, std::optional<Generator> generator,
               const TensorOptions& options = kInt64);
Tensor randint_like(const Tensor& like, int64_t high, const TensorOptions& options = {},
                    std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor randint_like(const Tensor& like, int64_t low, int64_t high,
                    const TensorOptions& options = {},
                    std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor randperm(int64_t n, const TensorOptions& options = kInt64);
Tensor randperm(int64_t n, std::optional<Generator> generator,
                const TensorOptions& options = kInt64);

// 0 or 1, with the probabilities that the tensor holds, or p.
Tensor bernoulli(const Tensor& self, std::optional<Generator> generator = std::nullopt);
Tensor bernoulli(const Tensor& self, double p, std::optional<Generator> generator = std::nullopt);
Tensor& bernoulli_(const Tensor& self, const Tensor& p,
                   std::optional<Generator> generator = std::nullopt);
Tensor& bernoulli_(const Tensor& self, double p = 0.5,
                   std::optional<Generator> generator = std::nullopt);

// Indices drawn from each row of non-negative weights: [rows, n] -> int64 [rows, num_samples]; [n]
// -> [num_samples]. Without replacement no index comes twice (Efraimidis 2006: the largest of
// u^(1/w)).
Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement = false,
                   std::optional<Generator> generator = std::nullopt);

Tensor normal(double mean, double std, const Shape& size,
              std::optional<Generator> generator = std::nullopt, const TensorOptions& options = {});
Tensor normal(const Tensor& mean, double std = 1,
              std::optional<Generator> generator = std::nullopt);
Tensor normal(double mean, const Tensor& std, std::optional<Generator> generator = std::nullopt);
Tensor normal(const Tensor& mean, const Tensor& std,
              std::optional<Generator> generator = std::nullopt);
Tensor poisson(const Tensor& self, std::optional<Generator> generator = std::nullopt);
Tensor binomial(const Tensor& count, const Tensor& prob,
                std::optional<Generator> generator = std::nullopt);

// Filled in place.
Tensor& uniform_(const Tensor& self, double from = 0, double to = 1,
                 std::optional<Generator> generator = std::nullopt);
Tensor& normal_(const Tensor& self, double mean = 0, double std = 1,
                std::optional<Generator> generator = std::nullopt);
Tensor& exponential_(const Tensor& self, double lambd = 1,
                     std::optional<Generator> generator = std::nullopt);
Tensor& cauchy_(const Tensor& self, double median = 0, double sigma = 1,
                std::optional<Generator> generator = std::nullopt);
Tensor& log_normal_(const Tensor& self, double mean = 1, double std = 2,
                    std::optional<Generator> generator = std::nullopt);
Tensor& geometric_(const Tensor& self, double p, std::optional<Generator> generator = std::nullopt);
Tensor& random_(const Tensor& self, std::optional<Generator> generator = std::nullopt);
Tensor& random_(const Tensor& self, int64_t to, std::optional<Generator> generator = std::nullopt);
Tensor& random_(const Tensor& self, int64_t from, std::optional<int64_t> to,
                std::optional<Generator> generator = std::nullopt);

}  // namespace oneagent
