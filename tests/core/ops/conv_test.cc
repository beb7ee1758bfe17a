// Convolutions with enough channels for every way that the kernels pack their tiles, beside the
// same sums as products of matrices.
#include "core/ops/conv.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/graph/autograd.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

// x [n, c, h, w], weight [f, c, k, k]: unfold and multiply.
Tensor by_product(const Tensor& x, const Tensor& weight, int64_t stride, int64_t padding) {
  const int64_t k = weight.size(2);
  const auto out = [&](int64_t size) { return (size + 2 * padding - k) / stride + 1; };
  const Tensor columns = im2col(x, {k, k}, {1, 1}, {padding, padding}, {stride, stride});
  return matmul(weight.reshape({weight.size(0), -1}), columns)
      .reshape({x.size(0), weight.size(0), out(x.size(2)), out(x.size(3))});
}

class ConvSizes : public testing::TestWithParam<int64_t> {};

TEST_P(ConvSizes, EqualProductsOfMatrices) {
  const int64_t channels = GetParam();
  const Generator generator(7);
  for (const DType dtype : {kFloat32, kFloat64})
    for (const int64_t k : {1, 2, 3})
      for (const int64_t stride : {1, 2})
        for (const int64_t filters : {3, 17, 128})
          for (const int64_t size : {3, 8, 13, 28, 32}) {
            const Tensor x = randn({2, channels, size, size}, generator, dtype);
            const Tensor w = randn({filters, channels, k, k}, generator, dtype);
            const Tensor y = conv2d(x, w, {}, stride, k / 2);
            const Tensor expected = by_product(x, w, stride, k / 2);
            const double scale = std::sqrt(static_cast<double>(channels * k * k));
            EXPECT_LT((y - expected).abs().max().item<double>(),
                      scale * (dtype == kFloat32 ? 1e-5 : 1e-13))
                << channels << " channels, kernel " << k << ", stride " << stride << ", " << filters
                << " filters, size " << size << ", " << name_of(dtype);
          }
}

TEST_P(ConvSizes, GradientsOfInputsEqualThoseOfProducts) {
  const int64_t channels = GetParam();
  const Generator generator(8);
  for (const int64_t k : {1, 3})
    for (const int64_t stride : {1, 2})
      for (const int64_t size : {8, 28}) {
        const Tensor x = randn({2, 40, size, size}, generator, kFloat64).requires_grad_();
        const Tensor w = randn({channels, 40, k, k}, generator, kFloat64).requires_grad_();
        const Tensor again = x.detach().clone().requires_grad_(),
                     weight = w.detach().clone().requires_grad_();
        const Tensor y = conv2d(x, w, {}, stride, k / 2);
        const Tensor g = randn(y.sizes(), generator, kFloat64);
        y.backward(g);
        by_product(again, weight, stride, k / 2).backward(g);
        EXPECT_TRUE(allclose(x.grad(), again.grad(), 1e-9, 1e-9))
            << k << ' ' << stride << ' ' << size;
        EXPECT_TRUE(allclose(w.grad(), weight.grad(), 1e-9, 1e-9))
            << k << ' ' << stride << ' ' << size;
      }
}

// One filter a channel, beside the product with a weight that is zero between channels.
TEST(Conv, DepthwiseEqualsTheProductOfDiagonalWeights) {
  const Generator generator(9);
  const auto diagonal = [](const Tensor& w) {
    return w * eye(w.size(0), kFloat64).reshape({w.size(0), w.size(0), 1, 1});
  };
  for (const int64_t k : {1, 2, 3, 5, 9})
    for (const int64_t stride : {1, 2, 3})
      for (const int64_t size : {9, 16, 17, 28, 33, 190}) {
        const int64_t channels = size > 100 ? 1 : 3;
        const auto leaf = [](const Tensor& t) { return t.detach().clone().requires_grad_(); };
        const Tensor x = leaf(randn({2, channels, size, size + 2}, generator, kFloat64));
        const Tensor w = leaf(randn({channels, 1, k, k}, generator, kFloat64));
        const Tensor x2 = leaf(x), w2 = leaf(w);
        const Tensor y = conv2d(x, w, {}, stride, k / 2, 1, channels);
        const Tensor expected = by_product(x2, diagonal(w2), stride, k / 2);
        const Tensor g = randn(y.sizes(), generator, kFloat64);
        y.backward(g);
        expected.backward(g);
        EXPECT_TRUE(allclose(y, expected, 1e-9, 1e-9)) << k << ' ' << stride << ' ' << size;
        EXPECT_TRUE(allclose(x.grad(), x2.grad(), 1e-9, 1e-9)) << k << ' ' << stride << ' ' << size;
        EXPECT_TRUE(allclose(w.grad(), w2.grad(), 1e-9, 1e-9)) << k << ' ' << stride << ' ' << size;
        const Tensor single = leaf(x.to(kFloat32));
        conv2d(single, w.detach().to(kFloat32), {}, stride, k / 2, 1, channels)
            .backward(g.to(kFloat32));
        EXPECT_TRUE(allclose(single.grad().to(kFloat64), x.grad(), 1e-4, 1e-3))
            << k << ' ' << stride << ' ' << size;
      }
}

TEST(Conv, NumbersNearTheLargestInteger) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const Tensor x = ones({1, 1, 4, 4}).requires_grad_(), w = ones({1, 1, 2, 2}).requires_grad_();
  for (const int64_t stride : {int64_t{9}, int64_t{1} << 40, kMost}) {
    const Tensor y = conv2d(x, w, {}, stride);
    EXPECT_EQ(y.sizes(), Shape({1, 1, 1, 1}));
    EXPECT_EQ(y.item<float>(), 4);
    y.backward();
    EXPECT_EQ(x.grad().sum().item<float>(), 4);
    EXPECT_EQ(w.grad().sum().item<float>(), 4);
    x.mutable_grad() = w.mutable_grad() = Tensor();
  }
  EXPECT_THROW(conv2d(x, w, {}, 1, kMost), Error);
  EXPECT_THROW(conv2d(x, w, {}, 1, Shape{0, 0}, kMost), Error);
  EXPECT_EQ(conv_transpose2d(ones({1, 1, 1, 1}), w, {}, kMost).sizes(), Shape({1, 1, 2, 2}));
  EXPECT_THROW(conv_transpose2d(ones({1, 1, 2, 2}), w, {}, kMost), Error);
  EXPECT_THROW(constant_pad_nd(ones({2}), {kMost, kMost}), Error);
  EXPECT_THROW(constant_pad_nd(ones({2}), {std::numeric_limits<int64_t>::min(), 0}), Error);
  EXPECT_THROW(bincount(tensor({kMost})), Error);
}

INSTANTIATE_TEST_SUITE_P(Channels, ConvSizes, testing::Values(1, 8, 31, 32, 64, 100));

}  // namespace
}  // namespace oneagent
