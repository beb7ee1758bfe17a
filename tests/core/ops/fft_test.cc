// Transforms of many lengths against the definition, and back.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "core/ops/ops.h"

namespace oneagent {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> by_definition(const std::vector<Complex>& x, double sign) {
  const size_t n = x.size();
  std::vector<Complex> out(n);
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j < n; ++j)
      out[k] += x[j] * std::polar(1.0, sign * 2 * std::numbers::pi *
                                           static_cast<double>(j * k % n) / static_cast<double>(n));
  return out;
}

Tensor noise(const Shape& sizes, DType dtype) {
  Generator generator(11);
  return randn(sizes, generator, dtype);
}

double distance(const Tensor& a, const Tensor& b) {
  return amax(abs(sub(to(a, kFloat64), to(b, kFloat64)))).item<double>();
}

class Lengths : public ::testing::TestWithParam<int64_t> {};

TEST_P(Lengths, LinesFollowTheDefinition) {
  const int64_t n = GetParam();
  for (const int64_t lines : {1, 3, 20}) {
    const Tensor x = noise({lines, n, 2}, kFloat64);
    for (const bool forward : {true, false}) {
      const Tensor actual = fft_c2c(x, {1}, 0, forward);
      const Tensor expected = empty(x.sizes(), kFloat64);
      for (int64_t line = 0; line < lines; ++line) {
        std::vector<Complex> values(static_cast<size_t>(n));
        const double* from = x.data_ptr<double>() + line * n * 2;
        for (int64_t i = 0; i < n; ++i)
          values[static_cast<size_t>(i)] = {from[2 * i], from[2 * i + 1]};
        const auto result = by_definition(values, forward ? -1 : 1);
        double* to = expected.data_ptr<double>() + line * n * 2;
        for (int64_t i = 0; i < n; ++i) {
          to[2 * i] = result[static_cast<size_t>(i)].real();
          to[2 * i + 1] = result[static_cast<size_t>(i)].imag();
        }
      }
      EXPECT_LT(distance(actual, expected), 1e-12 * static_cast<double>(n) + 1e-13) << lines;
      EXPECT_LT(distance(fft_c2c(to(x, kFloat32), {1}, 0, forward), expected), 1e-4) << lines;
    }
  }
}

TEST_P(Lengths, RealLinesAreComplexOnes) {
  const int64_t n = GetParam();
  for (const int64_t lines : {1, 3, 20}) {
    const Tensor x = noise({lines, n, 4}, kFloat64);
    for (const Tensor& signal : {x, transpose(x, 1, 2).contiguous()}) {
      const int64_t dim = signal.size(1) == n && n != 4 ? 1 : 2;
      if (signal.size(dim) != n) continue;
      const Tensor zero = zeros_like(signal);
      const Tensor whole = fft_c2c(stack({signal, zero}, -1), {dim}, 1, true);
      EXPECT_LT(distance(fft_r2c(signal, {dim}, 1, false), whole), 1e-12);
      const Tensor half = fft_r2c(signal, {dim}, 1, true);
      EXPECT_LT(distance(half, narrow(whole, dim, 0, n / 2 + 1)), 1e-12);
      EXPECT_LT(distance(fft_c2r(half, {dim}, 1, n), signal), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fft, Lengths,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 21, 25, 29,
                                           31, 32, 49, 58, 60, 64, 77, 97, 100, 121, 128, 210, 243,
                                           253, 256, 257));

TEST(Fft, SeveralDimensionsGoThereAndBack) {
  const Tensor x = noise({6, 50, 2, 31}, kFloat64);
  for (const int64_t mode : {0, 1, 2}) {
    const Tensor half = fft_r2c(x, {0, 3, 1}, mode, true);
    const double count = 6 * 50 * 31;
    const double scale = mode == 0 ? 1 / count : mode == 1 ? 1 : count;
    EXPECT_LT(distance(mul(fft_c2r(half, {0, 3, 1}, mode, 50), scale), x), 1e-12);
  }
}

TEST(Fft, LongLines) {
  for (const int64_t n : {4096, 5000, 65537}) {
    const Tensor x = noise({n, 2}, kFloat64);
    EXPECT_LT(distance(fft_c2c(fft_c2c(x, {0}, 0, true), {0}, 2, false), x), 1e-12);
    const Tensor line = noise({n}, kFloat32);
    EXPECT_LT(distance(fft_c2r(fft_r2c(line, {0}, 1, true), {0}, 1, n), line), 1e-5);
  }
}

TEST(Fft, WrongArgumentsAreNamed) {
  EXPECT_THROW(fft_c2c(ones({4, 3}), {0}, 0, true), Error);
  EXPECT_THROW(fft_r2c(ones({4, 3}), {0, 0}, 0, true), Error);
  EXPECT_THROW(fft_r2c(ones({4, 3}), {}, 0, true), Error);
  EXPECT_THROW(fft_c2r(ones({4, 2}), {0}, 0, 8), Error);
  EXPECT_THROW(fft_r2c(ones({4}, kInt64), {0}, 0, true), Error);
}

TEST(Fft, CountsMustNotBeNegative) {
  EXPECT_THROW(fft_fftfreq(-1), Error);
  EXPECT_THROW(fft_rfftfreq(-1), Error);
}

}  // namespace
}  // namespace oneagent
