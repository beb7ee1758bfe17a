// Kernels that change their method with the size, on both sides of each change, beside plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/graph/autograd.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using V = std::vector<double>;

V list(const Tensor& x) { return to_vector<double>(x.detach()); }

// -1 to 1, no two alike nearby.
V waves(int64_t n, double phase = 0) {
  V out(static_cast<size_t>(n));
  for (size_t i = 0; i < out.size(); ++i) out[i] = std::sin(1.7 * static_cast<double>(i) + phase);
  return out;
}
Tensor wave(const Shape& sizes, double phase = 0) {
  return tensor(waves(sizes.numel(), phase), kFloat64).to(kFloat32).reshape(sizes);
}

void expect_near(const V& actual, const V& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "at " << i;
}

TEST(BySize, EqualLooksAtEveryBlock) {
  for (const int64_t n : {1, 7, 4095, 4096, 4097, 9000}) {
    const Tensor x = wave({n});
    EXPECT_TRUE(equal(x, x.clone())) << n;
    for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
      const Tensor other = x.clone(), unknown = x.clone();
      other[at].fill_(9);
      unknown[at].fill_(kNan);
      EXPECT_FALSE(equal(x, other)) << n << " " << at;
      EXPECT_FALSE(equal(unknown, unknown)) << n << " " << at;
    }
  }
  EXPECT_FALSE(equal(wave({4}), wave({2, 2})));
  EXPECT_TRUE(equal(wave({4, 3}).t(), wave({4, 3}).t()));
  EXPECT_TRUE(equal(zeros({0}), zeros({0})));
}

TEST(BySize, ComparisonsInPlaceStoreZeroAndOneOfTheirOwnType) {
  const Tensor a = tensor({1.0, 2.0, 3.0, kNan}), b = tensor({2.0, 2.0, 2.0, 2.0});
  EXPECT_EQ(list(a.clone().eq_(b)), (V{0, 1, 0, 0}));
  EXPECT_EQ(list(a.clone().ne_(b)), (V{1, 0, 1, 1}));
  EXPECT_EQ(list(a.clone().lt_(b)), (V{1, 0, 0, 0}));
  EXPECT_EQ(list(a.clone().le_(2)), (V{1, 1, 0, 0}));
  EXPECT_EQ(list(a.clone().gt_(b)), (V{0, 0, 1, 0}));
  EXPECT_EQ(list(a.clone().ge_(2)), (V{0, 1, 1, 0}));
  EXPECT_EQ(list(a.clone().logical_and_(b)), (V{1, 1, 1, 1}));
  EXPECT_EQ(list(a.clone().logical_xor_(b)), (V{0, 0, 0, 0}));
  // The number decides the type of the comparison, self that of the result.
  const Tensor whole = tensor({1, 2, 3}, kInt64);
  EXPECT_EQ(list(whole.clone().lt_(2.5)), (V{1, 1, 0}));
  EXPECT_EQ(whole.clone().lt_(2.5).scalar_type(), kInt64);
  EXPECT_EQ(list(whole.gt(1).logical_or_(whole.eq(1))), (V{1, 1, 1}));
  // Gradients stop there.
  const Tensor leaf = tensor({1.0, 5.0}, kFloat64).requires_grad_();
  const Tensor y = leaf * 3;
  y.gt_(4);
  (y + leaf).sum().backward();
  EXPECT_EQ(list(leaf.grad()), (V{1, 1}));
}

TEST(BySize, ClampTakesTheUpperLimitWhereTheLimitsCross) {
  EXPECT_EQ(list(clamp(tensor({-1.0, 0.5, 9.0}), 3, 1)), (V{1, 1, 1}));
  EXPECT_TRUE(std::isnan(clamp(tensor({kNan}), -1, 1).item<double>()));
}

TEST(BySize, AbsoluteValues) {
  const Tensor x = tensor({-0.0, -2.5, 3.0, -std::numeric_limits<double>::infinity()});
  EXPECT_EQ(list(abs(x)), (V{0, 2.5, 3, std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(std::signbit(list(abs(x))[0]));
  EXPECT_EQ(list(abs(tensor({-3, 4}, kInt64))), (V{3, 4}));
  EXPECT_EQ(list(sign(tensor({-3, 0, 4}, kInt64))), (V{-1, 0, 1}));
}

TEST(BySize, MultiMarginLossInAndOutsideOfLanes) {
  for (const int64_t classes : {1, 5, 16, 17, 40})
    for (const int64_t p : {1, 2}) {
      const int64_t n = 3;
      const V x = waves(n * classes);
      const Tensor scores = tensor(x, kFloat64).reshape({n, classes}).requires_grad_();
      const Tensor target = remainder(arange(0, n), classes);
      V slopes(x.size(), 0);
      double loss = 0;
      for (int64_t r = 0; r < n; ++r) {
        const int64_t t = r % classes;
        for (int64_t k = 0; k < classes; ++k) {
          const auto at = [&](int64_t c) { return static_cast<size_t>(r * classes + c); };
          const double z = 0.8 - x[at(t)] + x[at(k)];
          if (k == t || z <= 0) continue;
          loss += (p == 2 ? z * z : z) / static_cast<double>(n * classes);
          const double slope = (p == 2 ? 2 * z : 1) / static_cast<double>(n * classes);
          slopes[at(k)] += slope;
          slopes[at(t)] -= slope;
        }
      }
      const Tensor y = multi_margin_loss(scores, target, p, 0.8);
      EXPECT_NEAR(y.item<double>(), loss, 1e-12) << classes;
      y.backward();
      expect_near(list(scores.grad()), slopes, 1e-12);
    }
}

TEST(BySize, SumsOfBagsInBlocksOfEveryWidth) {
  for (const int64_t d : {3, 31, 32, 33, 64, 97, 130}) {
    const V x = waves(50 * d);
    const Tensor weight = tensor(x, kFloat64).to(kFloat32).reshape({50, d});
    const std::vector<int64_t> index = {3, 49, 0, 7, 7, 21, 33, 48, 2, 5, 11, 12};
    const std::vector<int64_t> start = {0, 5, 5, 12};
    const Tensor y =
        std::get<0>(embedding_bag(weight, tensor(index, kInt64), tensor({0, 5, 5}, kInt64)));
    V expected(static_cast<size_t>(3 * d), 0);
    for (size_t bag = 0; bag < 3; ++bag)
      for (auto i = static_cast<size_t>(start[bag]); i < static_cast<size_t>(start[bag + 1]); ++i)
        for (int64_t k = 0; k < d; ++k)
          expected[bag * static_cast<size_t>(d) + static_cast<size_t>(k)] +=
              x[static_cast<size_t>(index[i] * d + k)];
    expect_near(list(y), expected, 1e-6);
  }
}

TEST(BySize, RunsOfMemoryOfEveryLength) {
  // Rows of 4 to 520 bytes, in and out of the blocks of copies.
  for (const int64_t n : {1, 3, 31, 32, 33, 63, 64, 65, 130}) {
    const Tensor x = wave({6, n}), y = wave({6, n + 1}, 1);
    const Tensor joined = cat({x, y, x}, 1);
    EXPECT_EQ(list(joined.slice(1, 0, n)), list(x)) << n;
    EXPECT_EQ(list(joined.slice(1, n, 2 * n + 1)), list(y)) << n;
    EXPECT_EQ(list(joined.slice(1, 2 * n + 1)), list(x)) << n;
    const Tensor rows = x.index_select(0, tensor({5, 0, 5}, kInt64));
    EXPECT_EQ(list(rows[0]), list(x[5])) << n;
    EXPECT_EQ(list(rows[1]), list(x[0])) << n;
    EXPECT_EQ(list(x.repeat({2, 2}).slice(0, 6).slice(1, n)), list(x)) << n;
    const Tensor order = remainder(arange(0, n) * 7 + 3, n);
    const Tensor columns = x.index_select(1, order);
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(list(columns.select(1, i)), list(x.select(1, (7 * i + 3) % n))) << n;
  }
}

TEST(BySize, IntegerProductsOfShortAndWideNumbers) {
  for (const int64_t n : {1, 3, 4, 15, 16, 21, 40})
    for (const int64_t scale : {int64_t{1}, int64_t{-3000000}, int64_t{1} << 33}) {
      const Tensor a = (arange(0, 5 * 7) * 11 - 100).reshape({5, 7}) * scale;
      const Tensor b = (arange(0, 7 * n) * 5 - 60).reshape({7, n});
      const Tensor expected = (a.unsqueeze(2) * b.unsqueeze(0)).sum(Shape{1});
      EXPECT_TRUE(equal(mm(a, b), expected)) << n << " " << scale;
      EXPECT_TRUE(equal(mm(a, b.t().contiguous().t()), expected)) << n << " " << scale;
    }
}

TEST(BySize, RowsTimesAVector) {
  for (const int64_t k : {1, 15, 16, 31, 32, 33, 64, 100, 257})
    for (const DType type : {kFloat32, kFloat64}) {
      const Tensor a = wave({5, k}).to(type), x = wave({k}, 2).to(type);
      const V expected = list((a.to(kFloat64) * x.to(kFloat64)).sum(Shape{1}));
      expect_near(list(mv(a, x)), expected, 1e-5);
      expect_near(list(mv(a.t().contiguous().t(), x)), expected, 1e-5);
    }
}

TEST(BySize, InversesOfSmallAndLargeMatrices) {
  for (const int64_t n : {1, 5, 255, 256, 257}) {
    const Tensor a =
        tensor(waves(n * n), kFloat64).reshape({n, n}) + eye(n, kFloat64) * static_cast<double>(n);
    expect_near(list(mm(a, linalg_inv(a))), list(eye(n, kFloat64)), 1e-10);
  }
}

TEST(BySize, GradientsOfStridedViews) {
  const Tensor x = wave({4, 6}).requires_grad_();
  // The whole storage, a part of it, and places that are read twice.
  x.as_strided({4, 2}, {6, 2}, 1).sum().backward();
  EXPECT_EQ(list(x.grad()), (V{0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0,  //
                               0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0}));
  const Tensor row = wave({2, 6}).requires_grad_();
  row[1].as_strided({2}, {2}, 7).sum().backward();
  EXPECT_EQ(list(row.grad()), (V{0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0}));
  const Tensor twice = wave({4}).requires_grad_();
  twice.as_strided({3, 2}, {1, 1}).sum().backward();
  EXPECT_EQ(list(twice.grad()), (V{1, 2, 2, 1}));
}

}  // namespace
}  // namespace oneagent
