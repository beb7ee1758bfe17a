// Reductions, softmax, sorting, selection and pools on both sides of the sizes at which their
// kernels change the method, beside plain loops in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/graph/autograd.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using V = std::vector<double>;

V list(const Tensor& x) { return to_vector<double>(x.detach()); }

V waves(int64_t n) {
  V out(static_cast<size_t>(n));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = std::sin(1.7 * static_cast<double>(i * i % 9973));
  return out;
}
Tensor wave(const Shape& sizes) {
  return tensor(waves(sizes.numel()), kFloat64).to(kFloat32).reshape(sizes);
}

void expect_near(const V& actual, const V& expected, double tolerance, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i])))
        << where << " at " << i;
}

// The elements of x [outer, n, inner] along its middle, line after line.
std::vector<V> lines_of(const Tensor& x) {
  const int64_t n = x.size(1), inner = x.size(2);
  const V all = list(x);
  std::vector<V> out;
  for (int64_t o = 0; o < x.size(0); ++o)
    for (int64_t j = 0; j < inner; ++j) {
      V& line = out.emplace_back();
      for (int64_t i = 0; i < n; ++i)
        line.push_back(all[static_cast<size_t>((o * n + i) * inner + j)]);
    }
  return out;
}
// The other way round.
V laid_out(const std::vector<V>& lines, const Shape& sizes) {
  V out(static_cast<size_t>(sizes.numel()));
  for (int64_t o = 0; o < sizes[0]; ++o)
    for (int64_t j = 0; j < sizes[2]; ++j)
      for (int64_t i = 0; i < sizes[1]; ++i)
        out[static_cast<size_t>((o * sizes[1] + i) * sizes[2] + j)] =
            lines[static_cast<size_t>(o * sizes[2] + j)][static_cast<size_t>(i)];
  return out;
}

const std::vector<Shape> kShapes = {
    {3, 1, 1},    {2, 7, 1},   {17, 8, 1},   {3, 31, 1},    {16, 32, 1},   {5, 33, 1},
    {2, 255, 1},  {3, 256, 1}, {1, 2047, 1}, {1, 2049, 1},  {1, 4097, 1},  {1, 70000, 1},
    {2, 5, 3},    {2, 40, 7},  {1, 33, 31},  {1, 33, 32},   {2, 9, 63},    {2, 9, 64},
    {1, 300, 65}, {2, 6, 127}, {1, 6, 129},  {1, 3000, 24}, {1, 1100, 33}, {2, 3, 300}};

TEST(LinesBySize, Reductions) {
  for (const Shape& shape : kShapes) {
    const Tensor x = wave(shape);
    V sum, largest, least, norm, cubes, deviation, log_sum;
    for (const V& line : lines_of(x)) {
      const auto n = static_cast<double>(line.size());
      sum.push_back(std::accumulate(line.begin(), line.end(), 0.0));
      largest.push_back(*std::max_element(line.begin(), line.end()));
      least.push_back(*std::min_element(line.begin(), line.end()));
      double squares = 0, cube = 0, around = 0, exps = 0;
      for (const double v : line) {
        squares += v * v;
        cube += std::abs(v * v * v);
        around += (v - sum.back() / n) * (v - sum.back() / n);
        exps += std::exp(v);
      }
      norm.push_back(std::sqrt(squares));
      cubes.push_back(std::cbrt(cube));
      deviation.push_back(around / n);
      log_sum.push_back(std::log(exps));
    }
    const std::string where = str(shape);
    expect_near(list(x.sum(Shape{1})), sum, 3e-6 * std::sqrt(static_cast<double>(shape[1])), where);
    EXPECT_EQ(list(x.amax({1})), largest) << where;
    EXPECT_EQ(list(x.amin({1})), least) << where;
    expect_near(list(linalg_vector_norm(x, 2, Shape{1})), norm, 1e-5, where);
    expect_near(list(linalg_vector_norm(x, 3, Shape{1})), cubes, 1e-5, where);
    expect_near(list(x.var(Shape{1}, false)), deviation, 1e-5, where);
    expect_near(list(logsumexp(x, {1})), log_sum, 1e-5, where);
  }
}

TEST(LinesBySize, SoftmaxAndItsGradient) {
  for (const Shape& shape : kShapes) {
    const Tensor x = wave(shape).requires_grad_(), weight = wave(shape).flip({1});
    const auto in = lines_of(x), factors = lines_of(weight);
    std::vector<V> values, logs, slopes;
    for (size_t l = 0; l < in.size(); ++l) {
      V y = in[l], z = in[l], slope = in[l];
      double total = 0, mean = 0;
      for (double& v : y) total += v = std::exp(v);
      for (size_t i = 0; i < y.size(); ++i) {
        y[i] /= total;
        z[i] -= std::log(total);
        mean += y[i] * factors[l][i];
      }
      for (size_t i = 0; i < y.size(); ++i) slope[i] = y[i] * (factors[l][i] - mean);
      values.push_back(y);
      logs.push_back(z);
      slopes.push_back(slope);
    }
    const std::string where = str(shape);
    expect_near(list(log_softmax(x, 1)), laid_out(logs, shape), 3e-6, where);
    const Tensor y = softmax(x, 1);
    expect_near(list(y), laid_out(values, shape), 1e-6, where);
    y.backward(weight);
    expect_near(list(x.grad()), laid_out(slopes, shape), 1e-6, where);
  }
}

TEST(LinesBySize, SortingAndSelection) {
  // Insertion to 32 elements, comparisons below 160, digits from there; selection from 1024.
  for (const int64_t n : {1, 2, 31, 32, 33, 159, 160, 161, 700, 1023, 1024, 1025, 5000})
    for (const bool few : {false, true}) {
      V x = waves(n);
      if (few)
        for (double& v : x) v = std::floor(3 * v);
      const Tensor in = tensor(x, kFloat64).to(kFloat32);
      std::vector<int64_t> order(x.size());
      std::iota(order.begin(), order.end(), int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return static_cast<float>(x[static_cast<size_t>(a)]) <
               static_cast<float>(x[static_cast<size_t>(b)]);
      });
      const auto [values, places] = sort(in, /*stable=*/true, 0, false);
      EXPECT_EQ(to_vector<int64_t>(places), order) << n;
      EXPECT_EQ(list(values), list(in.index_select(0, places))) << n;
      const auto [again, kept] = sort(values, /*stable=*/true, 0, false);
      EXPECT_TRUE(equal(again, values)) << n;
      EXPECT_TRUE(equal(kept, arange(n))) << n;
      EXPECT_TRUE(equal(std::get<0>(sort(in, 0, true)), values.flip({0}))) << n;
      const double middle = values[(n - 1) / 2].item<double>();
      EXPECT_EQ(median(in).item<double>(), middle) << n;
      const auto [value, index] = median(in, 0);
      EXPECT_EQ(value.item<double>(), middle) << n;
      EXPECT_EQ(in[index.item<int64_t>()].item<double>(), middle) << n;
      for (const int64_t k : {int64_t{1}, (n + 63) / 64, (n + 1) / 2, n}) {
        EXPECT_EQ(std::get<0>(kthvalue(in, k, 0)).item<double>(), values[k - 1].item<double>());
        EXPECT_TRUE(equal(std::get<0>(topk(in, k, 0)), values.flip({0}).slice(0, 0, k))) << n;
      }
    }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Tensor unknown = wave({3000});
  unknown[1700].fill_(nan);
  EXPECT_TRUE(std::isnan(median(unknown).item<double>()));
  EXPECT_FALSE(std::isnan(nanmedian(unknown).item<double>()));
  const Tensor whole = remainder(arange(0, 3001) * 577, 3001) - 1500;
  EXPECT_EQ(median(whole).item<int64_t>(), 0);
  EXPECT_EQ(median(full({2000}, 2.5)).item<double>(), 2.5);
}

// From 16384 elements on, a sample tells which of them may be the median.
TEST(LinesBySize, MediansOfManyElements) {
  const Tensor spread = remainder(arange(0, 40009) * 577, 40009) - 20004;
  EXPECT_EQ(median(spread).item<int64_t>(), 0);
  EXPECT_EQ(median(to(spread, kFloat32)).item<float>(), 0.0f);
  const auto [value, index] = median(to(spread, kFloat64), 0);
  EXPECT_EQ(value.item<double>(), 0);
  EXPECT_EQ(spread[index.item<int64_t>()].item<int64_t>(), 0);
  EXPECT_EQ(median(full({40000}, 2.5)).item<double>(), 2.5);
  EXPECT_EQ(median(remainder(spread, 3)).item<int64_t>(), 1);
  Tensor sorted = arange(0, 30000, kFloat32);
  EXPECT_EQ(median(sorted).item<float>(), 14999);
  sorted.slice(0, 0, 14000).fill_(1e9);  // where a sample's order says little
  EXPECT_EQ(median(sorted).item<float>(), 28999);
  sorted[5].fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(nanmedian(sorted).item<float>(), 28999);
}

TEST(LinesBySize, PlacesOfLongRowsAndPowersOfManyNumbers) {
  const Tensor x = remainder(arange(0, 3 * 2500), 7).view({3, 2500});
  const Tensor places = nonzero(x);
  const Tensor at = masked_select(arange(0, 3 * 2500).view({3, 2500}), ne(x, 0));
  EXPECT_TRUE(equal(select(places, 1, 0) * 2500 + select(places, 1, 1), at));
  EXPECT_TRUE(equal(nonzero(flatten(x)).squeeze(1), at));
  const Tensor base = arange(0, 37, kFloat64) / 8;
  const Tensor powers = linalg_vander(base, 5);
  for (int64_t power = 0; power < 5; ++power)
    EXPECT_TRUE(equal(select(powers, 1, power), pow(base, power))) << power;
}

TEST(LinesBySize, RunsAndDistinctValues) {
  const Tensor runs = tensor({3, 3, 1, 1, 1, 3, 2, 2}, kInt64);
  EXPECT_EQ(list(std::get<0>(unique_consecutive(runs))), (V{3, 1, 3, 2}));
  EXPECT_EQ(list(std::get<0>(unique_consecutive(tensor({0.0, -0.0, 1.0})))), (V{0, 1}));
  EXPECT_FALSE(std::signbit(list(std::get<0>(unique_consecutive(tensor({0.0, -0.0}))))[0]));
  EXPECT_EQ(std::get<0>(unique_consecutive(zeros({0}))).numel(), 0);
  // Ranges of up to 1024 values are counted in place.
  for (const int64_t range : {2, 1023, 1024, 1025, 1400}) {
    const Tensor x = remainder(arange(0, 3 * range) * 7, range) - 5;
    const auto [values, places, counts] = _unique2(x, true, true, true);
    const Tensor back = values.index_select(0, places);
    EXPECT_TRUE(equal(back, x)) << range;
    EXPECT_EQ(counts.sum().item<int64_t>(), x.numel()) << range;
    EXPECT_TRUE(values.slice(0, 1).sub(values.slice(0, 0, -1)).gt(0).all().item<bool>()) << range;
  }
}

double window_of(const V& x, int64_t begin, int64_t end, bool mean, int64_t* place) {
  double out = x[static_cast<size_t>(begin)], sum = 0;
  *place = begin;
  for (int64_t i = begin; i < end; ++i) {
    const double v = x[static_cast<size_t>(i)];
    sum += v;
    if (v > out) out = v, *place = i;
  }
  return mean ? sum / static_cast<double>(end - begin) : out;
}

TEST(LinesBySize, PoolsOfRows) {
  for (const int64_t width : {2, 5, 16, 17, 255, 512, 514, 1023, 1025, 1100}) {
    const V x = waves(width);
    const V in = list(tensor(x, kFloat64).to(kFloat32));
    const Tensor row = tensor(x, kFloat64).to(kFloat32).reshape({1, 1, width});
    int64_t place = 0;
    V pairs, triples;
    for (int64_t i = 0; i + 2 <= width; i += 2)
      pairs.push_back(window_of(in, i, i + 2, false, &place));
    EXPECT_EQ(list(max_pool1d(row, 2)), pairs) << width;
    EXPECT_EQ(list(std::get<0>(max_pool1d_with_indices(row, 2))), pairs) << width;
    for (int64_t i = -1; i + 3 <= width + 1; i += 2)
      triples.push_back(
          window_of(in, std::max<int64_t>(i, 0), std::min(i + 3, width), false, &place));
    EXPECT_EQ(list(max_pool1d(row, 3, 2, 1)), triples) << width;
    for (const int64_t count : {int64_t{1}, int64_t{2}, width / 2, width}) {
      V means, tops, places;
      for (int64_t o = 0; o < count; ++o) {
        const int64_t begin = o * width / count, end = ((o + 1) * width + count - 1) / count;
        means.push_back(window_of(in, begin, end, true, &place));
        tops.push_back(window_of(in, begin, end, false, &place));
        places.push_back(static_cast<double>(place));
      }
      const std::string where = str(width, " to ", count);
      expect_near(list(adaptive_avg_pool1d(row, count)), means, 1e-5, where);
      const auto [largest, index] = adaptive_max_pool1d(row, count);
      EXPECT_EQ(list(largest), tops) << where;
      EXPECT_EQ(list(index.to(kFloat64)), places) << where;
    }
  }
  Tensor unknown = wave({1, 1, 64});
  unknown[0][0][20].fill_(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(list(std::get<1>(adaptive_max_pool1d(unknown, 2)).to(kFloat64))[0], 20);
  EXPECT_TRUE(std::isnan(list(max_pool1d(unknown, 2))[10]));
}

TEST(LinesBySize, PoolsOfPlanesAreThoseOfTheirWindows) {
  for (const int64_t width : {4, 9, 34, 520, 1030}) {
    const Tensor x = wave({2, 3, 6, width});
    // Windows two wide and two apart, by slices.
    const int64_t half = width / 2;
    const auto at = [&](int64_t dy, int64_t dx) {
      return x.slice(2, dy, 6, 2).slice(3, dx, dx + 2 * half - 1, 2);
    };
    const Tensor top = maximum(maximum(at(0, 0), at(0, 1)), maximum(at(1, 0), at(1, 1)));
    EXPECT_TRUE(equal(max_pool2d(x, {2, 2}), top)) << width;
    EXPECT_TRUE(equal(std::get<0>(max_pool2d_with_indices(x, {2, 2})), top)) << width;
    const Tensor mean = (at(0, 0) + at(0, 1) + at(1, 0) + at(1, 1)) / 4;
    expect_near(list(avg_pool2d(x, {2, 2})), list(mean), 1e-6, str(width));
    const Tensor whole = adaptive_avg_pool2d(x, {1, 1});
    expect_near(list(whole), list(x.mean({2, 3}, true)), 1e-5, str(width));
    expect_near(list(adaptive_avg_pool2d(x, {2, 1})),
                list(x.reshape({2, 3, 2, 3 * width}).mean({3}, true)), 1e-5, str(width));
  }
}

TEST(LinesBySize, PolynomialsInBlocks) {
  for (const int64_t n : {1, 127, 128, 129, 300})
    for (const int64_t degree : {0, 1, 2, 5, 8, 9}) {
      const Tensor x = wave({n});
      const Tensor degrees = full({n}, static_cast<double>(degree), kFloat32);
      EXPECT_TRUE(
          equal(special_hermite_polynomial_h(x, degree), special_hermite_polynomial_h(x, degrees)));
      EXPECT_TRUE(equal(special_chebyshev_polynomial_u(x, degree),
                        special_chebyshev_polynomial_u(x, degrees)));
      EXPECT_TRUE(equal(special_shifted_chebyshev_polynomial_t(x, degree),
                        special_shifted_chebyshev_polynomial_t(x, degrees)));
    }
}

TEST(LinesBySize, WindowsAreMirrored) {
  for (const int64_t n : {1, 2, 7, 8, 33})
    for (const bool periodic : {false, true}) {
      V expected;
      const auto last = static_cast<double>(periodic ? n : n - 1);
      for (int64_t i = 0; i < n; ++i)
        expected.push_back(n == 1 ? 1.0
                                  : 0.5 - 0.5 * std::cos(2 * M_PI * static_cast<double>(i) / last));
      expect_near(list(hann_window(n, periodic, kFloat64)), expected, 1e-15, str(n));
    }
}

}  // namespace
}  // namespace oneagent
