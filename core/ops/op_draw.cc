// Permutations and counts, which are drawn element by element: randperm, poisson, binomial.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/ops/copy.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"
#include "core/ops/ops.h"
#include "core/ops/random.h"
#include "core/ops/view.h"

namespace oneagent {

namespace {

// Fisher and Yates: element i changes places with one of i .. n - 1, chosen by keys[i] in [0, 1).
// The places of a block are fetched before they are needed.
template <class Index>
void shuffle(Index* order, const double* keys, int64_t n) {
  constexpr int64_t kBlock = 64;
  int64_t places[kBlock];
  std::iota(order, order + n, Index{0});
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t count = std::min(kBlock, n - at);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t left = n - at - i;
      places[i] = at + i + static_cast<int64_t>(keys[at + i] * static_cast<double>(left));
      __builtin_prefetch(order + places[i], 1);
    }
    for (int64_t i = 0; i < count; ++i) std::swap(order[at + i], order[places[i]]);
  }
}

// The type holds every number below n.
void require_counts(int64_t n, DType dtype) {
  OA_REQUIRE(dtype != DType::kBool && dtype != DType::kBFloat16 && !is_complex(dtype),
             "randperm: has no meaning for ", name_of(dtype));
  require_fits(n > 0 ? n - 1 : n, dtype);
  const int64_t most = dtype == DType::kFloat16   ? (int64_t{1} << 11) + 1
                       : dtype == DType::kFloat32 ? (int64_t{1} << 24) + 1
                                                  : (int64_t{1} << 53) + 1;
  OA_REQUIRE(!is_floating(dtype) || n <= most, "randperm: n is too large for ", name_of(dtype),
             ", was ", n);
}

}  // namespace

Tensor randperm(int64_t n, std::optional<Generator> generator, const TensorOptions& options) {
  OA_REQUIRE(n >= 0, "randperm: n must not be negative, was ", n);
  require_counts(n, options.dtype_opt().value_or(DType::kInt64));
  const Tensor keys = rand({n}, generator, DType::kFloat64);
  const DType narrow = n < (int64_t{1} << 31) ? DType::kInt32 : DType::kInt64;
  const Tensor out = empty({n}, narrow);
  if (narrow == DType::kInt32)
    shuffle(out.data_ptr<int32_t>(), keys.data_ptr<double>(), n);
  else
    shuffle(out.data_ptr<int64_t>(), keys.data_ptr<double>(), n);
  Tensor result = to(out, options.dtype_opt().value_or(DType::kInt64));
  if (options.requires_grad()) result.requires_grad_();
  return result;
}

namespace {

// One draw per element from a generator of its own counter stream.
template <class Draw>
Tensor drawn(const Tensor& like, const std::optional<Generator>& given, const Draw& one) {
  Generator generator = given ? *given : default_generator();
  const RngState at = generator.state();
  const uint64_t first = generator.reserve(static_cast<uint64_t>(like.numel()));
  const Tensor out = empty(like.sizes(), DType::kFloat64);
  double* values = out.data_ptr<double>();
  for (int64_t i = 0; i < like.numel(); ++i) {
    Rng rng(at.seed, (at.stream + 1) * 0x9e3779b97f4a7c15u + first + static_cast<uint64_t>(i));
    values[i] = one(i, rng);
  }
  return out;
}

// Inversion of `uniform` in [0, 1) for small rates; above, the rejection PTRS (Hoermann 1993).
double poisson_of(double rate, double uniform, Rng& rng) {
  if (rate < 10) {
    double chance = std::exp(-rate), count = 0;
    for (; uniform >= chance && count < 200; chance *= rate / count) {
      uniform -= chance;
      ++count;
    }
    return count;
  }
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = rng.uniform_double() - 0.5, v = rng.uniform_double();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (us >= 0.07 && v <= v_r) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        k * std::log(rate) - rate - std::lgamma(k + 1))
      return k;
  }
}

}  // namespace

Tensor poisson(const Tensor& self, std::optional<Generator> generator) {
  const Tensor rates = contiguous(to(self.detach(), DType::kFloat64));
  const double* rate = rates.data_ptr<double>();
  const Tensor uniforms = rand(rates.sizes(), generator, DType::kFloat64);
  const double* uniform = uniforms.data_ptr<double>();
  const Tensor out = drawn(rates, generator, [&](int64_t i, Rng& rng) {
    OA_REQUIRE(rate[i] >= 0, "poisson: rates must not be negative, element ", i, " is ", rate[i]);
    return poisson_of(rate[i], uniform[i], rng);
  });
  return to(out, self.dtype());
}

Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
  const Shape sizes = broadcast_sizes("binomial", count.sizes(), prob.sizes());
  const Tensor counts = contiguous(expand(to(count.detach(), DType::kFloat64), sizes));
  const Tensor probs = contiguous(expand(to(prob.detach(), DType::kFloat64), sizes));
  const double* n = counts.data_ptr<double>();
  const double* p = probs.data_ptr<double>();
  const Tensor out = drawn(counts, generator, [&](int64_t i, Rng& rng) {
    OA_REQUIRE(n[i] >= 0 && p[i] >= 0 && p[i] <= 1, "binomial: element ", i, " has count ", n[i],
               " and probability ", p[i]);
    double hits = 0;
    for (int64_t k = 0; k < static_cast<int64_t>(n[i]); ++k) hits += rng.uniform_double() < p[i];
    return hits;
  });
  return to(out, count.dtype());
}

}  // namespace oneagent
