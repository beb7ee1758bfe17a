// Facts of reductions, scans, sorting and statistics beyond the conformance suite: dtypes, special
// values, errors, functions that are made of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor numbers(const std::vector<double>& values) { return tensor(values, kFloat64); }
Tensor whole(const std::vector<int64_t>& values, DType dtype = kInt64) {
  return tensor(values, kInt64).to(dtype);
}
std::vector<double> list(const Tensor& x) { return to_vector<double>(x); }
std::vector<int64_t> ints_of(const Tensor& x) { return to_vector<int64_t>(x); }

template <class F>
std::string error_of(const F& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "no error";
}

// The same values with the dimensions in reverse order.
Tensor turned(const Tensor& x) {
  Shape order;
  for (int64_t i = x.dim(); i-- > 0;) order.push_back(i);
  return permute(permute(x, order).clone(), order);
}
Tensor wave(const Shape& sizes) { return sin(arange(sizes.numel(), kFloat64) * 0.7).view(sizes); }

TEST(Reduce, SumsOfEveryLayoutAgree) {
  const Tensor x = wave({5, 33, 4, 7});
  for (const Shape& dims : {Shape{0}, Shape{1}, Shape{3}, Shape{0, 2}, Shape{1, 3},
                            Shape{0, 1, 2, 3}, Shape{0, 2, 3}, Shape{2}}) {
    const Tensor expected = sum(x, dims, true);
    EXPECT_TRUE(allclose(sum(turned(x), dims, true), expected)) << dims;
    const Tensor wide = cat({x, x}, 2);
    EXPECT_TRUE(allclose(sum(narrow(wide, 2, 0, 4), dims, true), expected)) << dims;
    EXPECT_TRUE(allclose(var(turned(x), dims, true, true), var(x, dims, true, true))) << dims;
    EXPECT_TRUE(allclose(norm(turned(x), 2, dims, true), norm(x, 2, dims, true))) << dims;
    EXPECT_TRUE(equal(amax(turned(x), dims, true), amax(x, dims, true))) << dims;
    EXPECT_TRUE(
        allclose(mean(x.to(kFloat32), dims, true).to(kFloat64), mean(x, dims, true), 1e-4, 1e-6))
        << dims;
  }
  const Tensor long_row = wave({100001});
  double total = 0;
  for (const double value : list(long_row)) total += value;
  EXPECT_NEAR(sum(long_row).item<double>(), total, 1e-9);
  EXPECT_NEAR(sum(wave({70000, 3}), {0}).select(0, 1).item<double>(),
              sum(wave({70000, 3}).select(1, 1)).item<double>(), 1e-9);
}

TEST(Reduce, IntegersAreAddedAsInt64) {
  const Tensor x = whole({100, 100, 100}, kInt8);
  EXPECT_EQ(sum(x).item<int64_t>(), 300);
  EXPECT_EQ(sum(x, kInt8).item<int64_t>(), 44);
  EXPECT_EQ(sum(x, kFloat32).dtype(), kFloat32);
  EXPECT_EQ(prod(x).item<int64_t>(), 1000000);
  EXPECT_EQ(cumsum(x, 0).dtype(), kInt64);
  EXPECT_EQ(cumprod(whole({2, 3}, kInt32), 0, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(sum(x, kInt64).item<int64_t>(), 300);
  EXPECT_EQ(mean(x, kFloat64).item<double>(), 100.0);
  EXPECT_THAT(error_of([&] { mean(x); }),
              HasSubstr("must be either a floating point or complex dtype. Got: Char"));
  EXPECT_THAT(error_of([&] { sum(ones({2, 2}), {0, 0}); }), HasSubstr("appears twice"));
}

TEST(Reduce, ListsOfDimensionsAreWrittenLikeLibtorchs) {
  const Tensor x = ones({2, 3, 4});
  EXPECT_EQ(sum(x, 1).sizes(), Shape({2, 4}));
  EXPECT_EQ(sum(x, {0, -1}).sizes(), Shape({3}));
  EXPECT_EQ(sum(x, std::nullopt, true).sizes(), Shape({1, 1, 1}));
  EXPECT_EQ(sum(x, std::vector<int64_t>{0, 1}, false, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(mean(x, Shape{}, true).sizes(), Shape({1, 1, 1}));
  EXPECT_EQ(x.sum({0, 2}).sizes(), Shape({3}));
  EXPECT_EQ(x.mean(1, true).sizes(), Shape({2, 1, 4}));
  EXPECT_EQ(x.amax(1).sizes(), Shape({2, 4}));
}

TEST(Reduce, NanIsSkippedWhereAskedFor) {
  const Tensor x = numbers({1, kNan, 5}).requires_grad_();
  EXPECT_EQ(nansum(x).item<double>(), 6.0);
  EXPECT_EQ(nanmean(x).item<double>(), 3.0);
  nanmean(x).backward();
  EXPECT_THAT(list(x.grad()), ElementsAre(0.5, 0.0, 0.5));
  EXPECT_TRUE(std::isnan(sum(x).item<double>()));
}

TEST(Reduce, AnyAndAllKeepUint8) {
  EXPECT_EQ(any(zeros({3}, kUInt8)).dtype(), kUInt8);
  EXPECT_EQ(all(ones({3})).dtype(), kBool);
  EXPECT_TRUE(all(ones({1000})).item<bool>());
  EXPECT_FALSE(any(zeros({1000}, kInt64)).item<bool>());
  EXPECT_TRUE(any(numbers({0, kNan})).item<bool>());
  EXPECT_TRUE(all(empty({0})).item<bool>());
  EXPECT_EQ(count_nonzero(numbers({0, kNan, 2, -0.0})).item<int64_t>(), 2);
}

TEST(Reduce, ProductsWithZerosHaveGradients) {
  for (const std::vector<double>& values : {std::vector<double>{2, 0, 3}, {0, 5, 0}, {1, 2, 3}}) {
    const Tensor x = numbers(values).requires_grad_();
    prod(x).backward();
    EXPECT_THAT(list(x.grad()),
                ElementsAre(values[1] * values[2], values[0] * values[2], values[0] * values[1]));
    const Tensor y = numbers(values).requires_grad_();
    sum(cumprod(y, 0)).backward();
    EXPECT_THAT(list(y.grad()),
                ElementsAre(1 + values[1] + values[1] * values[2],
                            values[0] + values[0] * values[2], values[0] * values[1]));
  }
}

// NaN at any place of a long row is the result of both extremes.
TEST(Scan, ExtremesOfLongRowsSeeEveryNaN) {
  constexpr int64_t kCount = 5003;
  for (const DType dtype : {kFloat32, kFloat64}) {
    Tensor x = sin(arange(kCount, dtype));
    const double low = std::get<0>(x.sort())[0].item<double>();
    const double high = std::get<0>(x.sort())[kCount - 1].item<double>();
    EXPECT_EQ(std::get<0>(aminmax(x)).item<double>(), low);
    EXPECT_EQ(std::get<1>(aminmax(x)).item<double>(), high);
    EXPECT_EQ(amin(x).item<double>(), low);
    EXPECT_EQ(amax(x).item<double>(), high);
    for (const int64_t place : {0, 7, 64, 2047, 2048, 4095, 4096, 5002}) {
      const Tensor bad = x.clone();
      bad.index_put_({place}, kNan);
      const auto [least, most] = aminmax(bad);
      for (const Tensor& found : {least, most, amin(bad), amax(bad)})
        EXPECT_TRUE(std::isnan(found.item<double>())) << place << ' ' << name_of(dtype);
    }
  }
}

TEST(Extreme, NanWinsAndTheFirstOfEqualsIsNamed) {
  const Tensor x = numbers({1, kNan, 3, kNan});
  EXPECT_TRUE(std::isnan(max(x).item<double>()) && std::isnan(amin(x).item<double>()));
  EXPECT_EQ(argmax(x).item<int64_t>(), 1);
  EXPECT_EQ(std::get<1>(min(x, 0)).item<int64_t>(), 1);
  Tensor row = zeros({3000});
  row.fill_(1);
  EXPECT_EQ(argmax(row).item<int64_t>(), 0);
  row.data_ptr<float>()[2500] = 2;
  row.data_ptr<float>()[2700] = 2;
  EXPECT_EQ(argmax(row).item<int64_t>(), 2500);
  EXPECT_EQ(argmax(row.view({3000, 1}).expand({3000, 3}), 0).select(0, 2).item<int64_t>(), 2500);
  const auto [least, most] = aminmax(numbers({3, 1, 2}));
  EXPECT_EQ(least.item<double>(), 1);
  EXPECT_EQ(most.item<double>(), 3);
  EXPECT_THAT(error_of([] { argmax(zeros({0})); }), HasSubstr("Expected reduction dim"));
  EXPECT_EQ(argmax(zeros({2, 3}), std::nullopt, true).sizes(), Shape({1, 1}));
}

TEST(Moments, AreAccurateFarFromZero) {
  const Tensor x = wave({3, 1001}) + 1e6;
  const double expected = var(wave({3, 1001})).item<double>();
  EXPECT_NEAR(var(x).item<double>(), expected, 1e-9);
  const Tensor narrow_x = (wave({3, 1001}) + 4096).to(kFloat32);
  EXPECT_NEAR(var(narrow_x).item<double>(), var(narrow_x.to(kFloat64)).item<double>(), 1e-7);
  EXPECT_TRUE(allclose(std(narrow_x, {0}).to(kFloat64), std(narrow_x.to(kFloat64), {0}), 1e-6, 0));
  EXPECT_TRUE(std::isnan(var(ones({1})).item<double>()));
  EXPECT_EQ(std::get<1>(std_mean(x, {1}, 0, true)).sizes(), Shape({3, 1}));
  EXPECT_THAT(error_of([] { var(zeros({3}, kInt64)); }), HasSubstr("needs a floating operand"));
}

TEST(Norm, OfEveryOrder) {
  const Tensor x = numbers({3, -4, 0});
  EXPECT_EQ(norm(x).item<double>(), 5);
  EXPECT_EQ(norm(x, 0).item<double>(), 2);
  EXPECT_EQ(norm(x, 1).item<double>(), 7);
  EXPECT_EQ(norm(x, kInf).item<double>(), 4);
  EXPECT_EQ(norm(x, -kInf).item<double>(), 0);
  EXPECT_NEAR(norm(x, 3).item<double>(), std::cbrt(91.0), 1e-12);
  EXPECT_EQ(norm(x.to(kFloat32), 2, kFloat64).dtype(), kFloat64);
  EXPECT_EQ(norm(ones({2, 3}), std::nullopt, {1}, true).sizes(), Shape({2, 1}));
  EXPECT_EQ(dist(x, numbers({0, 0, 0})).item<double>(), 5);
  const Tensor zero = zeros({2}, kFloat64).requires_grad_();
  norm(zero).backward();
  EXPECT_THAT(list(zero.grad()), ElementsAre(0, 0));
  Tensor y = numbers({3, 4, 0.3, 0.4}).view({2, 2});
  y.renorm_(2, 0, 1);
  EXPECT_NEAR(norm(y.select(0, 0)).item<double>(), 1, 1e-6);
  EXPECT_EQ(y.select(0, 1).select(0, 0).item<double>(), 0.3);
}

TEST(Scan, SpecialValues) {
  EXPECT_THAT(ints_of(std::get<1>(cummax(numbers({1, 3, 3, 2}), 0))), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(ints_of(std::get<1>(cummin(numbers({1, kNan, 0, kNan}), 0))),
              ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(list(logcumsumexp(numbers({-kInf, 0, kInf}), 0)), ElementsAre(-kInf, 0, kInf));
  EXPECT_NEAR(list(logcumsumexp(numbers({1000, 1000}), 0))[1], 1000 + std::log(2), 1e-10);
  EXPECT_NEAR(logsumexp(wave({2, 3, 4}), {0, 2}).select(0, 1).item<double>(),
              log(sum(exp(wave({2, 3, 4})), {0, 2})).select(0, 1).item<double>(), 1e-12);
  EXPECT_EQ(logsumexp(ones({2, 3}), {0, 1}, true).sizes(), Shape({1, 1}));
  Tensor x = whole({1, 2, 3}, kInt32);
  x.cumsum_(0);
  EXPECT_EQ(x.dtype(), kInt32);
  EXPECT_THAT(ints_of(x), ElementsAre(1, 3, 6));
  const Tensor long_row = wave({5000});
  EXPECT_NEAR(cumsum(long_row, 0).select(0, -1).item<double>(), sum(long_row).item<double>(),
              1e-10);
}

TEST(Sort, NanGoesLastAndEqualsKeepTheirOrder) {
  const auto [up, places] = sort(numbers({2, kNan, -kInf, 0.0, -0.0, 2}));
  EXPECT_THAT(ints_of(places), ElementsAre(2, 3, 4, 0, 5, 1));
  EXPECT_TRUE(std::signbit(list(up)[2]));
  EXPECT_THAT(ints_of(argsort(numbers({2, kNan, 1, 2}), 0, true)), ElementsAre(1, 0, 3, 2));
  const Tensor many = (wave({3, 1000}) * 50).to(kInt32);
  for (const bool descending : {false, true}) {
    const auto [values, order] = sort(many, 1, descending);
    EXPECT_TRUE(equal(gather(many, 1, order), values));
    const auto v = to_vector<int64_t>(values), o = to_vector<int64_t>(order);
    for (size_t i = 1; i < 1000; ++i)
      ASSERT_TRUE(v[i - 1] == v[i] ? o[i - 1] < o[i] : (v[i - 1] < v[i]) != descending);
    EXPECT_TRUE(equal(std::get<0>(sort(turned(many), 1, descending)), values));
  }
  EXPECT_TRUE(equal(msort(numbers({2, 1})), numbers({1, 2})));
}

TEST(Rank, NanIsLargest) {
  const Tensor x = numbers({3, kNan, 1, 2});
  EXPECT_THAT(ints_of(std::get<1>(topk(x, 2))), ElementsAre(1, 0));
  EXPECT_THAT(ints_of(std::get<1>(topk(x, 2, 0, false))), ElementsAre(2, 3));
  EXPECT_EQ(std::get<0>(kthvalue(x, 3)).item<double>(), 3);
  EXPECT_TRUE(std::isnan(median(x).item<double>()));
  EXPECT_EQ(nanmedian(x).item<double>(), 2);
  EXPECT_EQ(std::get<1>(median(x, 0)).item<int64_t>(), 1);
  EXPECT_EQ(std::get<1>(nanmedian(x, 0)).item<int64_t>(), 3);
  const Tensor many = wave({4096});
  EXPECT_TRUE(
      equal(std::get<0>(topk(many, 10)), narrow(std::get<0>(sort(many, 0, true)), 0, 0, 10)));
  EXPECT_THAT(error_of([&] { topk(x, 5); }),
              HasSubstr("selected index k out of range, 0 .. 4, was 5"));
  EXPECT_THAT(error_of([&] { kthvalue(x, 0); }),
              HasSubstr("selected number k out of range, 1 .. 4, was 0"));
}

TEST(Unique, ValuesInverseAndCounts) {
  const Tensor x = whole({3, 1, 2, 1, 30, 20}).view({2, 3});
  const auto [values, inverse, counts] = _unique2(x, true, true, true);
  EXPECT_THAT(ints_of(values), ElementsAre(1, 2, 3, 20, 30));
  EXPECT_THAT(ints_of(inverse), ElementsAre(2, 0, 1, 0, 4, 3));
  EXPECT_EQ(inverse.sizes(), x.sizes());
  EXPECT_THAT(ints_of(counts), ElementsAre(2, 1, 1, 1, 1));
  const auto [hashed, hashed_inverse, hashed_counts] = _unique2(x, false, true, true);
  EXPECT_THAT(ints_of(hashed), ElementsAre(20, 30, 2, 1, 3));  // PyTorch 1.13
  EXPECT_THAT(ints_of(hashed_inverse), ElementsAre(4, 3, 2, 3, 1, 0));
  EXPECT_THAT(ints_of(hashed_counts), ElementsAre(1, 1, 1, 2, 1));
  EXPECT_EQ(std::get<1>(_unique(x)).numel(), 0);
  EXPECT_EQ(std::get<0>(_unique(numbers({kNan, 1, kNan}))).numel(), 3);
  const auto [runs, run_inverse, run_counts] =
      unique_consecutive(whole({1, 1, 2, 2, 1}), true, true);
  EXPECT_THAT(ints_of(runs), ElementsAre(1, 2, 1));
  EXPECT_THAT(ints_of(run_inverse), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(ints_of(run_counts), ElementsAre(2, 2, 1));
  const auto [rows, row_inverse, row_counts] =
      unique_dim(whole({3, 1, 2, 1, 3, 1}).view({3, 2}), 0, true, true, true);
  EXPECT_THAT(ints_of(rows), ElementsAre(2, 1, 3, 1));
  EXPECT_THAT(ints_of(row_inverse), ElementsAre(1, 0, 1));
  EXPECT_THAT(ints_of(row_counts), ElementsAre(1, 2));
  EXPECT_EQ(std::get<0>(unique_dim_consecutive(ones({2, 3}), 1)).sizes(), Shape({2, 1}));
  EXPECT_EQ(std::get<0>(_unique2(empty({0}))).numel(), 0);
}

TEST(Nonzero, Places) {
  const Tensor x = whole({0, 1, 2, 0, 0, 3}).view({2, 3});
  EXPECT_THAT(ints_of(nonzero(x)), ElementsAre(0, 1, 0, 2, 1, 2));
  EXPECT_EQ(nonzero(scalar_tensor(5, kInt64)).sizes(), Shape({1, 0}));
  EXPECT_EQ(nonzero(zeros({3})).sizes(), Shape({0, 1}));
  const auto columns = nonzero_numpy(x);
  EXPECT_THAT(ints_of(columns[1]), ElementsAre(1, 2, 2));
}

TEST(Search, PlacesAndMembership) {
  const Tensor line = numbers({1, 2, 2, 3});
  EXPECT_THAT(ints_of(searchsorted(line, numbers({2, 0, 9, kNan}))), ElementsAre(1, 0, 4, 4));
  EXPECT_THAT(ints_of(searchsorted(line, numbers({2}), false, true)), ElementsAre(3));
  EXPECT_THAT(ints_of(searchsorted(line, numbers({2}), true, false, "right")), ElementsAre(3));
  EXPECT_EQ(searchsorted(line, 2.5).item<int64_t>(), 3);
  EXPECT_THAT(ints_of(searchsorted(numbers({3, 1}), numbers({2}), false, false, std::nullopt,
                                   whole({1, 0}))),
              ElementsAre(1));
  EXPECT_THAT(
      ints_of(searchsorted(numbers({1, 3, 5, 2, 4, 6}).view({2, 3}), numbers({3, 3}).view({2, 1}))),
      ElementsAre(1, 1));
  EXPECT_EQ(bucketize(numbers({2}), line, true).dtype(), kInt32);
  EXPECT_EQ(bucketize(Scalar(2), line).item<int64_t>(), 1);
  EXPECT_THAT(error_of([&] { searchsorted(line, line, false, true, "left"); }),
              HasSubstr("contradict"));
  EXPECT_THAT(ints_of(isin(whole({1, 2, 3}), numbers({2, 7}))), ElementsAre(0, 1, 0));
  EXPECT_THAT(ints_of(isin(whole({1, 2, 3}), arange(2, 40), false, true)), ElementsAre(1, 0, 0));
  EXPECT_TRUE(isin(Scalar(2), whole({1, 2})).item<bool>());
}

TEST(Histogram, BinsAndCounts) {
  const Tensor x = numbers({1, 2, 3, kNan, 9});
  EXPECT_THAT(list(histc(x, 4, 0, 4)), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(list(histc(numbers({1, 2, 1}), 2)), ElementsAre(2, 1));
  EXPECT_THAT(list(histc(numbers({}), 2)), ElementsAre(0, 0));
  EXPECT_THAT(error_of([] { histc(numbers({1, kInf}), 2); }), HasSubstr("is not finite"));
  const auto [counts, edges] =
      histogram(numbers({1, 2, 1}), 4, std::nullopt, numbers({1, 2, 4}), true);
  EXPECT_NEAR(list(counts)[0], 2.857142857, 1e-8);
  EXPECT_THAT(list(edges), ElementsAre(1, 1.25, 1.5, 1.75, 2));
  EXPECT_THAT(list(std::get<0>(histogram(numbers({2, 2}), 4))), ElementsAre(0, 0, 2, 0));
  EXPECT_THAT(list(std::get<0>(histogram(numbers({0, 1, 5, 7}), numbers({0, 1, 6})))),
              ElementsAre(1, 2));
  const auto [grid, sides] = histogramdd(numbers({0, 0, 1, 1, 1, 0}).view({3, 2}), {2, 2});
  EXPECT_THAT(list(grid), ElementsAre(1, 0, 1, 1));
  EXPECT_EQ(sides.size(), 2U);
  EXPECT_THAT(ints_of(bincount(whole({1, 2, 1}), {}, 5)), ElementsAre(0, 2, 1, 0, 0));
  EXPECT_EQ(bincount(whole({1}), whole({2})).dtype(), kFloat64);
  EXPECT_THAT(error_of([] { bincount(whole({-1, 2})); }), HasSubstr("one was -1"));
}

TEST(Quantile, Interpolations) {
  const Tensor x = numbers({4, 1, 3, 2});
  EXPECT_EQ(quantile(x, 0.5).item<double>(), 2.5);
  EXPECT_EQ(quantile(x, 0.4, std::nullopt, false, "lower").item<double>(), 2);
  EXPECT_EQ(quantile(x, 0.4, std::nullopt, false, "higher").item<double>(), 3);
  EXPECT_EQ(quantile(x, 0.4, std::nullopt, false, "midpoint").item<double>(), 2.5);
  EXPECT_EQ(quantile(x, 0.4, std::nullopt, false, "nearest").item<double>(), 2);
  EXPECT_TRUE(std::isnan(quantile(numbers({1, kNan}), 0.1).item<double>()));
  EXPECT_EQ(nanquantile(numbers({1, kNan, 3}), 0.5).item<double>(), 2);
  EXPECT_EQ(quantile(wave({4, 5, 3}), numbers({0.1, 0.2}), 1, true).sizes(), Shape({2, 4, 1, 3}));
  EXPECT_EQ(quantile(wave({4, 5}), numbers({0.1, 0.2}), 0).sizes(), Shape({2, 5}));
  EXPECT_EQ(quantile(wave({4, 5}), 1.0, 1).select(0, 2).item<double>(),
            amax(wave({4, 5}), {1}).select(0, 2).item<double>());
  const Tensor y = numbers({1, 5, 2}).requires_grad_();
  quantile(y, 0.25).backward();
  EXPECT_THAT(list(y.grad()), ElementsAre(0.5, 0, 0.5));
  EXPECT_THAT(error_of([&] { quantile(x, 1.5); }), HasSubstr("must be in the range [0, 1]"));
}

TEST(Statistics, CovarianceAndCorrelation) {
  const Tensor x = numbers({1, 2, 4, 3, 1, 2}).view({2, 3});
  EXPECT_NEAR(list(cov(x))[0], 7.0 / 3, 1e-12);
  const Tensor weighted = cov(x, 1, whole({1, 2, 1}), numbers({0.1, 0.2, 0.3}));
  EXPECT_NEAR(list(weighted)[0], 1.7173913, 1e-6);  // PyTorch 1.13
  EXPECT_NEAR(list(weighted)[1], 0.1521739, 1e-6);
  EXPECT_NEAR(list(corrcoef(x))[0], 1, 1e-12);
  EXPECT_EQ(corrcoef(numbers({1, 2, 4})).item<double>(), 1);
}

TEST(Differences, IntegralsAndGradients) {
  const Tensor y = whole({1, 2, 3});
  EXPECT_THAT(ints_of(diff(whole({1, 3, 6}), 2)), ElementsAre(1));
  EXPECT_THAT(ints_of(diff(y, 1, 0, whole({0}), whole({9}))), ElementsAre(1, 1, 1, 6));
  EXPECT_EQ(diff(y, 5).numel(), 0);
  EXPECT_EQ(trapezoid(y).item<double>(), 4);
  EXPECT_EQ(trapezoid(y, 0.5).item<double>(), 2);
  EXPECT_EQ(trapz(y, whole({1, 2, 4})).item<double>(), 6.5);
  EXPECT_EQ(trapezoid(empty({3, 0})).sizes(), Shape({3}));
  EXPECT_THAT(list(cumulative_trapezoid(y)), ElementsAre(1.5, 4));
  const Tensor squares = numbers({1, 4, 9, 16, 25});
  EXPECT_THAT(list(gradient(squares, std::optional<Scalar>(2.0))[0]),
              ElementsAre(1.5, 2, 3, 4, 4.5));
  EXPECT_THAT(list(gradient(squares, std::nullopt, std::nullopt, 2)[0]),
              ElementsAre(2, 4, 6, 8, 10));
  const Tensor uneven =
      gradient(squares, std::vector<Tensor>{numbers({0, 1, 3, 4, 6})}, std::nullopt, 2)[0];
  EXPECT_NEAR(list(uneven)[0], 3.1666667, 1e-6);  // PyTorch 1.13
  EXPECT_NEAR(list(uneven)[4], 2.8333333, 1e-6);
  EXPECT_EQ(gradient(wave({4, 5})).size(), 2U);
}

TEST(Combine, ProductsAndCombinations) {
  EXPECT_THAT(ints_of(cartesian_prod({whole({1, 2}), whole({3, 4})})),
              ElementsAre(1, 3, 1, 4, 2, 3, 2, 4));
  EXPECT_THAT(ints_of(combinations(whole({1, 2, 3}))), ElementsAre(1, 2, 1, 3, 2, 3));
  EXPECT_THAT(ints_of(combinations(whole({1, 2}), 2, true)), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_EQ(combinations(whole({1, 2}), 3).sizes(), Shape({0, 3}));
}

}  // namespace
}  // namespace oneagent
